import { type OwnTexts, shinglesOf } from '@crewhall/contracts/memory/own-texts.ts'
import { listOwnTexts } from '#modules/memory'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { Turns } from './turns.ts'

/** How texts of an agent's memories are recognised when they come back in a conversation. */
export async function findOwnTexts(ctx: BrandCtx, agent_id: string): Promise<OwnTexts> {
  const { memory_ids, texts } = await listOwnTexts(ctx, agent_id)
  const turns = new Turns()
  const shingles = new Set<string>()
  for (const text of texts) {
    await turns.next()
    for (const shingle of shinglesOf(text)) shingles.add(shingle)
  }
  return { memory_ids, shingles }
}
