import type { CheckLine } from './check-line.ts'
import { atOnce } from './memory-host.ts'
import { answerOf, type PickUps } from './pick-ups.ts'

const cap = 25
const dayMs = 86_400_000

/** C16: the limit of the day holds, and what is left says why and until when. */
export async function checkSpendCap(pickUps: PickUps, queued: number): Promise<CheckLine> {
  const { model } = pickUps
  model.reset()
  model.answer = () => answerOf([])
  const feed = await pickUps.open()
  const source = await feed.source()
  const names = Array.from({ length: queued }, (_, at) => at)
  await atOnce(4, names, async (at) => {
    await feed.say(source, `queued ${at}`, [`The report of week ${at} is late again.`])
  })
  await pickUps.stopWorkers()
  // A day may end while they are read: then the limit is another day's.
  const left = dayMs - (pickUps.at() % dayMs)
  if (left < 7_200_000) await pickUps.advance(left + 60_000)
  await pickUps.onlyWorker({ EMBEDDINGS: 'off', CONVERSATIONS_DAILY_CALLS: String(cap) })
  await pickUps.pickUp()
  const first = model.calls.chat
  const waiting = await feed.host.sql<{ n: number }>(
    `select count(*)::int as n from conversations.conversations where brand_id = $1 and state = 'held'
       and reason like '%model calls of today' and next_try_at > platform.now()`,
    [feed.workspace.brand_id],
  )
  const shown = waiting[0]?.n ?? 0
  const states = await feed.states()
  // Within the day nothing more is asked; the next one has a limit of its own.
  await pickUps.pickUp()
  const again = model.calls.chat - first
  return {
    check: 'C16',
    what: `${queued} conversations, a limit of ${cap} calls a day: calls at two pick-ups; of the rest, shown as held with reason and time`,
    measured: `${first}, ${again}; ${shown} of ${queued - (states.done ?? 0)}`,
    bar: `${cap}, 0; all`,
    is_met: first === cap && again === 0 && shown === queued - cap && states.done === cap,
    is_promise: true,
  }
}
