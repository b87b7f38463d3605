import { keptHealthEvents } from '@crewhall/contracts/fleet/health.ts'
import { deskNotFound } from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { presentHealth } from './timeline.present.ts'
import * as store from './timeline.store.ts'

export async function getHealth(ctx: BrandCtx, id: string) {
  const desk = await store.findHealth(ctx, id)
  if (!desk) throw deskNotFound()
  return presentHealth(desk, await store.listHealthEvents(ctx, id, keptHealthEvents))
}
