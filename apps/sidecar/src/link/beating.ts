import { ApiError } from '@crewhall/client/client.ts'
import { type DeskReport, maxCommands } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { Commands } from '../commands/commands.ts'
import type { ToldHire } from '../hire/hire-keeper.ts'
import type { Log } from '../log.ts'
import type { DeskLink } from './desk-link.ts'
import { pause } from './pause.ts'
import { jittered, retryWait } from './waits.rules.ts'
import type { Wake } from './wake.ts'

interface Beating {
  readonly env_id: string
  readonly link: DeskLink
  readonly commands: Commands
  readonly log: Log
  readonly stop: AbortSignal
  /** Rung when there is something new to tell. */
  readonly wake: Wake
  report(): Promise<DeskReport>
  /** After each beat that was accepted, with who works at this desk. */
  heard(hire: ToldHire): void
}

/** Why the desk beats no longer. */
export type End = 'stopped' | 'released' | 'quarantined'

const ends: Readonly<Record<number, End>> = { 409: 'quarantined', 410: 'released' }

/** Tells the service again and again how this desk is, as often as it asks for, and does what it is told. */
export async function keepBeating(beating: Beating): Promise<End> {
  const { log, stop, wake } = beating
  let failures = 0
  let by = beating.link.beat_by
  while (!stop.aborted) {
    let wait_s: number
    // Of before the beat: what comes up while it is under way is told with the next one, at once.
    const news = wake.signal
    try {
      const next = await beatOnce(beating)
      if (failures > 0) log.info('the service is back', { failures })
      failures = 0
      if (beating.link.beat_by !== by) log.info('beats take another way', { by: beating.link.beat_by })
      by = beating.link.beat_by
      wait_s = jittered(next, Math.random())
    } catch (error) {
      if (stop.aborted) break
      const end = error instanceof ApiError ? ends[error.status] : undefined
      if (end) {
        log.error(end, { error })
        return end
      }
      failures += 1
      wait_s = retryWait(failures, Math.random())
      log.warn('a beat failed', { error, failures, wait_s })
    }
    await pause(wait_s, failures > 0 ? stop : AbortSignal.any([stop, news]))
  }
  return 'stopped'
}

/** Seconds until the next. */
async function beatOnce({ env_id, link, commands, report, heard }: Beating): Promise<number> {
  const results = commands.untold(maxCommands)
  const { command_key } = commands
  const answer = await link.beat(env_id, { ...(await report()), results, command_key })
  await commands.told(results)
  heard(answer.hire)
  if (answer.command_key) await commands.adoptKey(answer.command_key)
  for (const signed of answer.commands) await commands.take(signed, answer.time)
  return answer.next_in_s
}
