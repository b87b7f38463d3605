import type { Beat } from '@crewhall/contracts/fleet/desk-agent.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './beats.store.ts'
import { deskOf } from './registration.service.ts'

export interface BeatDeps {
  readonly beat_s: number
}

/** DESK-40, DESK-49: a desk that reports is live, and never ready by that. */
export async function takeBeat(ctx: BrandCtx, { beat_s }: BeatDeps, beat: Beat) {
  const { desk_id } = deskOf(ctx)
  const { pending_sync_count, login_expired, link_age_s } = beat
  await store.updateHeard(ctx, {
    id: desk_id,
    pending_sync_count,
    login_expired,
    has_link: link_age_s !== null,
  })
  return { next_in_s: beat_s, commands: [], time: ctx.now().toISOString() }
}
