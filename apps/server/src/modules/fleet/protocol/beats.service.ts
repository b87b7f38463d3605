import type { Beat } from '@crewhall/contracts/fleet/desk-agent.ts'
import { deskReleased } from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { type CommandDeps, exchangeCommands } from '../commands/commands.service.ts'
import { type KeyDeps, proposeKey } from '../mesh/peers.service.ts'
import * as store from './beats.store.ts'
import { deskOf } from './registration.service.ts'

export interface BeatDeps extends CommandDeps, KeyDeps {
  readonly beat_s: number
  /** Lets a desk be checked soon. */
  hurry(brandId: number, id: string): void
}

/** There is a handshake every two minutes. */
const linkedSeconds = 180

/** DESK-40, DESK-49: a desk that reports is live, and never ready by that. */
export async function takeBeat(ctx: BrandCtx, deps: BeatDeps, beat: Beat) {
  const { desk_id, is_new_process } = deskOf(ctx)
  const { pending_sync_count, login_expired, link_age_s, wg_pub } = beat
  if (wg_pub !== undefined) await proposeKey(ctx, deps, desk_id, wg_pub)
  const heard = await store.updateHeard(ctx, {
    id: desk_id,
    pending_sync_count,
    login_expired,
    has_link: link_age_s !== null,
    is_linked: link_age_s !== null && link_age_s <= linkedSeconds,
  })
  // The next beat is told so anyway, because the key is marked.
  if (!heard) throw deskReleased()
  const { is_news, has_work, hired_agent_id, hire_revision: revision } = heard
  if (is_new_process || is_news) deps.hurry(ctx.brandId, desk_id)
  const isBusy = has_work || beat.results.length > 0
  const commands = isBusy ? await exchangeCommands(ctx, deps, desk_id, beat) : []
  const command_key = deps.command_keys.renewalFor(desk_id, beat.command_key)
  return {
    next_in_s: deps.beat_s,
    commands,
    ...(command_key && { command_key }),
    hire: hired_agent_id === null ? null : { agent_id: hired_agent_id, revision },
    time: ctx.now().toISOString(),
  }
}
