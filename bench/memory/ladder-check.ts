import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { CheckLine } from './check-line.ts'
import { answerOf, type PickUps } from './pick-ups.ts'

const minute = 60_000
const every = 10 * minute
const waits = [10 * minute, 30 * minute, 120 * minute, 480 * minute]
const modes = ['error', 'bad_json', 'thought_prefix', 'truncated', 'bad_json'] as const

/** C15: when a conversation is tried again, by a clock that is moved. */
export async function checkLadder(pickUps: PickUps): Promise<CheckLine> {
  const { model } = pickUps
  model.reset()
  model.answer = () => answerOf([{ quote: 'we deploy on Tuesdays only', title: 'Deploys are on Tuesdays' }])
  const feed = await pickUps.open()
  const source = await feed.source()
  const { id } = await feed.say(source, 'ladder', ['From now on we deploy on Tuesdays only.'])
  const due: number[] = []
  let early = 0
  for (const mode of modes.slice(0, 4)) {
    model.next = [mode]
    // It fails two minutes later by the clock, so that it is due between two pick-ups.
    model.delay_ms = 2000
    const calls = model.calls.chat
    await pickUps.strike()
    await waitFor(() => model.calls.chat === calls + 1, 60_000)
    await pickUps.advance(2 * minute)
    await pickUps.settled()
    model.delay_ms = 0
    const { next_try_at } = await feed.ledger(id)
    const [ended] = await feed.host.sql<{ at: string }>(
      'select max(ended_at)::text as at from conversations.attempts where conversation_id = $1',
      [id],
    )
    const next = Date.parse(next_try_at ?? '')
    due.push((next - Date.parse(ended?.at ?? '')) / minute)
    // The last pick-up before it is due, which must not ask.
    const last = Math.floor(next / every) * every - every / 2
    if (last > pickUps.at()) await pickUps.advance(last - pickUps.at())
    await pickUps.settled()
    await pickUps.pickUp()
    early += model.calls.chat - calls - 1
  }
  model.next = [modes[4]]
  await pickUps.pickUp()
  const { state, attempts } = await feed.ledger(id)
  const made = model.calls.chat
  await pickUps.advance(9 * 60 * minute)
  await pickUps.settled()
  await pickUps.pickUp()
  const later = model.calls.chat - made
  const stored = (await feed.memories()).length
  const isExact = due.every((wait, at) => Math.abs(wait - (waits[at] ?? 0) / minute) < 0.02)
  return {
    check: 'C15',
    what: 'five failures, errors and answers that cannot be read: waits in minutes, calls before they are due, state and calls after the fifth; memories of unread answers',
    measured: `${due.map((wait) => wait.toFixed(1)).join(', ')}; ${early}; ${state} after ${attempts}, ${later} more; ${stored}`,
    bar: '10, 30, 120, 480; 0; failed after 5, 0 more; 0',
    is_met: isExact && early === 0 && state === 'failed' && attempts === 5 && later === 0 && stored === 0,
    is_promise: true,
  }
}
