import { type Coder, coders } from '@crewhall/contracts/profiles/coder-profiles.ts'
import type { CoderAvailability } from '@crewhall/contracts/profiles/coders.ts'
import { notFound } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { readChoices } from './profiles.service.ts'
import * as store from './profiles.store.ts'

export async function listCoders(ctx: BrandCtx): Promise<CoderAvailability[]> {
  const { closed } = await readChoices(ctx)
  return coders.map((coder) => ({ coder, available: !closed.has(coder) }))
}

/** Closing a coder keeps what was changed in its profiles, for the day that it is opened again. */
export async function changeAvailability(
  ctx: BrandCtx,
  name: string,
  available: boolean,
): Promise<CoderAvailability> {
  const coder = coders.find((each) => each === name)
  if (!coder) throw notFound()
  return ctx.tx(async (ctx) => {
    const changed = available
      ? await store.deleteClosedCoder(ctx, coder)
      : await store.insertClosedCoder(ctx, coder)
    if (changed > 0) {
      const target = `coder:${coder satisfies Coder}`
      await ctx.audit({ action: 'coder.changed', target, from: !available, to: available })
    }
    return { coder, available }
  })
}
