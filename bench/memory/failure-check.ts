import { failureModes, type StandInMode, type StandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type CheckLine, ms } from './check-line.ts'
import type { CorpusQuery } from './corpus.ts'
import { atOnce, type MemoryCaller } from './memory-host.ts'

const slow: readonly StandInMode[] = ['hang', 'drip']
/** After some of these in a row nobody is let through to the model for a while, so good calls stand between them. */
const away: readonly StandInMode[] = ['rate_limited', 'error']
const limit = 20

export interface FailureCounts {
  readonly each: number
  /** Of hanging and dripping calls, six at a time. */
  readonly slow_rounds: number
}

/** C8: whatever the model does, a recall returns the bytes of the search, in time. */
export async function checkFailures(
  caller: MemoryCaller,
  model: StandInModel,
  queries: readonly CorpusQuery[],
  { each, slow_rounds }: FailureCounts,
): Promise<CheckLine[]> {
  const asked: { agent: string; query: string; expected: string }[] = []
  for (const { agent, query } of queries.slice(0, 20)) {
    const { text } = await caller.search(agent, { query, limit: String(limit) })
    asked.push({ agent, query, expected: text })
  }
  const faults: string[] = []
  const times: number[] = []
  let calls = 0
  let next = 0
  const recall = async (mode: StandInMode) => {
    const { agent, query, expected } = asked[next++ % asked.length] as (typeof asked)[number]
    const response = await caller.recall(agent, query, limit)
    times.push(response.ms)
    calls += 1
    const isAsSearched = response.text === expected && response.headers.get('x-reranked') === 'false'
    if (response.status !== 200 || !isAsSearched)
      faults.push(`${mode}: ${response.status}, ${response.headers.get('x-reranked')}, ${response.text}`)
  }
  const [any] = asked
  const isAnswering = async () =>
    (await caller.recall(any?.agent ?? '', any?.query ?? '', 1)).headers.get('x-reranked') === 'true'

  model.reset()
  model.answer = ({ user }) => ({
    ids: [...user.matchAll(/^\{"id":(\d+)/gm)].map(([, id]) => Number(id)).toReversed(),
  })
  // Loads what the first call needs.
  await waitFor(isAnswering, 60_000)
  const before = model.calls.chat
  let good = 0
  for (const mode of failureModes.filter((mode) => !slow.includes(mode))) {
    const isAway = away.includes(mode)
    model.mode = mode
    if (!isAway) await atOnce(4, Array(each).fill(mode), recall)
    for (let n = 0; isAway && n < each; n += 1) {
      await recall(mode)
      if (n % 2 === 0) continue
      model.next = ['good']
      good += 1
      if (!(await isAnswering())) faults.push(`${mode}: a good call between was not let through`)
    }
    model.mode = 'good'
    if (!(await isAnswering())) faults.push(`${mode}: the next good call was not let through`)
    good += 1
  }
  const reached = () => model.calls.chat - before - good
  const quickReached = reached()
  const quickCalls = calls
  for (let round = 0; round < slow_rounds; round += 1) {
    model.next = [...slow, ...slow, ...slow]
    await Promise.all(model.next.map((mode) => recall(mode)))
    await waitFor(isAnswering, 120_000)
  }
  for (const fault of faults.slice(0, 20)) console.error(`C8 ${fault.slice(0, 300)}`)
  const longest = Math.max(...times)
  return [
    {
      check: 'C8',
      what: `${calls} recalls, ${failureModes.length} ways in which a model fails: 200 and the bytes of the search`,
      measured: `${faults.length} otherwise; ${quickReached} of ${quickCalls} quick failures came from the model`,
      bar: '0; all',
      is_met: faults.length === 0 && quickReached === quickCalls,
      is_promise: true,
    },
    {
      check: 'C8',
      what: `the longest of them; ${slow_rounds * 3 * slow.length} had a model that hangs or drips`,
      measured: `${ms(longest)} ms`,
      bar: '9000 ms',
      is_met: longest <= 9000,
    },
  ]
}
