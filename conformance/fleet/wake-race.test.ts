import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beat, join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const env = { DESK_NETWORKS: '127.0.0.0/8' }
const server = useServer('probe', env)
const rounds = roundsFor(200, 0.5)
const fortnightS = 14 * 24 * 3600 + 60
let clock: VirtualClock
let api: ServerProcess
const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
const open = () => DeskWorkspace.open({ sql: server.sql, get }, 1)
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...env, ...clock.env })
})
afterAll(() => clock?.close())

interface Sleeping {
  readonly at: DeskWorkspace
  readonly desk: DeskCaller
}
async function joined(): Promise<Sleeping> {
  const at = await open()
  const { workstation_id, pat } = await at.ordered()
  const desk = new DeskCaller(workstation_id, pat)
  const { status } = await join(get, desk)
  if (status !== 200) throw new Error(`joining was refused with ${status}`)
  return { at, desk }
}
const statusOf = (outcome: PromiseSettledResult<unknown> | undefined) =>
  outcome?.status === 'fulfilled' ? (outcome.value as Answer).status : String(outcome?.reason)

test('a count of live desks that is kept forgets one where an order and a desk that wakes meet', async () => {
  const { wrong, rounds: run } = await race<DeskWorkspace>({
    rounds,
    isTwin: true,
    clients: 2,
    setup: open,
    act: (at, client) => at.call('POST', '/probe/live-desks', { cause: client === 0 ? 'order' : 'wake' }),
    async verdict(at, outcomes) {
      const taken = outcomes.filter((each) => statusOf(each) === 200).length
      const [row] = await server.sql<{ live: number }>(
        'select live from probe.naive_live_desks where brand_id = $1',
        [at.brand_id],
      )
      return row?.live === taken ? undefined : `${row?.live} are counted and ${taken} are live`
    },
  })
  console.log(`naive twin: wrong in ${wrong} of ${run} rounds`)
  expect(wrong).toBeGreaterThan(0)
})

test(`DESK-22, DESK-47, DESK-49: an order and a dormant desk that wakes at once are both counted, in ${rounds} rounds`, async () => {
  const sleeping: Sleeping[] = []
  for (let round = 0; round < rounds; round += 1) sleeping.push(await joined())
  await clock.advance(fortnightS * 1000)
  let lifted = 0
  const result = await race<Sleeping>({
    rounds,
    clients: 2,
    async setup(round) {
      const found = sleeping[round] as Sleeping
      if ((await found.at.list()).dormant.length !== 1) throw new Error('the desk is not dormant')
      return found
    },
    act: ({ at, desk }, client) =>
      client === 0
        ? at.order()
        : beat(get, desk, {}, { created: Math.floor(Date.now() / 1000) + fortnightS }),
    async verdict({ at }, [order, wake]) {
      const { items, dormant } = await at.list()
      const isTaken = statusOf(order) === 201
      if (isTaken) lifted += 1
      const { status, body } = await at.order()
      const { current } = (body as unknown as { detail: { current?: number } }).detail
      const found = [statusOf(wake), items.length, dormant.length, status, current].join()
      const live = isTaken ? 2 : 1
      if (!isTaken && statusOf(order) !== 403) return `the order was answered ${statusOf(order)}`
      return found === [200, live, 0, 403, live].join() ? undefined : `${isTaken}: ${found}`
    },
  })
  console.log(`${lifted} of ${rounds} orders came first and lifted the workspace above its cap`)
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})
