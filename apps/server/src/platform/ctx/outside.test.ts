import { expect, expectTypeOf, test } from 'vitest'
import type { BrandTx, OutsideBrandCtx, OutsideSystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import type { Embeddings } from '#platform/embeddings/embeddings.ts'
import type { Llm, Question } from '#platform/llm/llm.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { Storage } from '#platform/storage/storage.ts'

declare const embeddings: Embeddings
declare const llm: Llm
declare const question: Question<string>
declare const mail: Mail
declare const outbound: Outbound
declare const storage: Storage

/** Never called: the compiler is the test, and refuses an expectation of an error that does not come. */
async function actsInside(ctx: BrandTx | SystemTx): Promise<void> {
  const letter = { to: 'a@b.example', subject: '', text: '', html: '' }
  // @ts-expect-error a letter would leave while rows are locked
  await mail.send(ctx, letter)
  // @ts-expect-error a name server would be waited for
  await outbound.mayCall(ctx, 'https://a.example/')
  // @ts-expect-error
  await outbound.call(ctx, { url: '', method: 'GET', headers: {}, limit_ms: 1, wants: 'status' })
  // @ts-expect-error
  await storage.put(ctx, 'key', { bytes: new Uint8Array(), content_type: 'image/png' })
  // @ts-expect-error
  await storage.find(ctx, 'key')
  // @ts-expect-error
  await storage.remove(ctx, 'key')
  // @ts-expect-error
  await storage.list(ctx, '')
  // @ts-expect-error a model would be waited for
  await embeddings.embed(ctx, [''], { kind: 'query', owner: '1' })
  // @ts-expect-error
  await llm.ask(ctx, question)
}

test('S5: code inside a transaction cannot be compiled when it reaches mail, outbound calls, storage or models', () => {
  expect(actsInside).toBeDefined()
  expectTypeOf<BrandTx>().not.toExtend<Outside>()
  expectTypeOf<SystemTx>().not.toExtend<Outside>()
  expectTypeOf<OutsideBrandCtx>().toExtend<Outside>()
  expectTypeOf<OutsideSystemCtx>().toExtend<Outside>()
  // What is made from an outside context of the system is outside, and a snapshot is not.
  expectTypeOf<ReturnType<OutsideSystemCtx['forBrand']>>().toExtend<Outside>()
  expectTypeOf<Parameters<Parameters<OutsideBrandCtx['snapshot']>[0]>[0]>().not.toExtend<Outside>()
})
