import type { Beat } from '@crewhall/contracts/fleet/desk-agent.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './beats.store.ts'
import { deskOf } from './registration.service.ts'

export interface BeatDeps {
  readonly beat_s: number
  /** Lets a desk be checked soon. */
  hurry(brandId: number, id: string): void
}

/** DESK-40, DESK-49: a desk that reports is live, and never ready by that. */
export async function takeBeat(ctx: BrandCtx, deps: BeatDeps, beat: Beat) {
  const { desk_id, is_new_process } = deskOf(ctx)
  const { pending_sync_count, login_expired, link_age_s } = beat
  const isNews = await store.updateHeard(ctx, {
    id: desk_id,
    pending_sync_count,
    login_expired,
    has_link: link_age_s !== null,
  })
  if (is_new_process || isNews) deps.hurry(ctx.brandId, desk_id)
  return { next_in_s: deps.beat_s, commands: [], time: ctx.now().toISOString() }
}
