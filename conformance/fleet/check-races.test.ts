import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { race } from '@crewhall/testkit/race.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'
import { HeldSidecar } from './held-sidecar.ts'
import { StandInSidecar } from './stand-in-sidecar.ts'

const env = {
  DESK_NETWORKS: '127.0.0.0/8',
  DESK_CHECK_INTERVAL_MS: '200',
  DESK_CHECK_TIMEOUT_MS: '20000',
}
const server = useServer('probe', env)
// A naive check loses every round in which its answer comes late, which is every other one.
const rounds = scaled(200, 10)
const patienceMs = 30_000
const other = new StandInSidecar()
let at: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server, 100_000)
})
afterAll(() => other.close())

async function joined(sidecar: { listen(): Promise<string> }): Promise<DeskCaller> {
  const { workstation_id, pat } = await at.ordered()
  const desk = new DeskCaller(workstation_id, pat)
  const { status } = await join(server.get, desk, { sidecar_url: await sidecar.listen() })
  if (status !== 200) throw new Error(`joining was refused with ${status}`)
  return desk
}

interface Round {
  readonly id: string
  readonly sidecar: HeldSidecar
  /** Whether the check is answered after the change, and not at the same time. */
  readonly is_late: boolean
  /** The check as a call, where it is one. */
  readonly check: Promise<Answer> | undefined
  changed?: Promise<Answer>
}
type Change = (id: string) => Promise<Answer>
type Wrong = (id: string) => Promise<string | undefined>

/** A desk is changed while a check of it is under way, which then gets its answer. */
const changes = (change: Change, wrong: Wrong, isTwin: boolean) =>
  race<Round>({
    rounds,
    isTwin,
    clients: 2,
    async setup(round) {
      const sidecar = new HeldSidecar()
      sidecar.desk = await joined(sidecar)
      const { desk_id: id } = sidecar.desk
      const check = isTwin ? at.call('POST', `/probe/workstations/${id}/check`) : undefined
      await waitFor(() => sidecar.waiting > 0, patienceMs)
      return { id, sidecar, check, is_late: round % 2 === 0 }
    },
    async act(round, client) {
      if (client === 0) round.changed = change(round.id)
      if (client === 0 || round.is_late) await round.changed
      if (client === 1) round.sidecar.answer()
    },
    async verdict({ id, sidecar, check, changed }) {
      const status = (await changed)?.status
      if (status !== 200) return `the change was answered ${status}`
      if (check) await check
      else {
        // A check of another desk begins after the one in question is concluded.
        const asked = other.asked
        await waitFor(() => other.asked >= asked + 2, patienceMs)
      }
      await sidecar.close()
      return wrong(id)
    },
  })

const suspend: Change = (id) => at.change(id, { status: 'suspended' })
const isNotSuspended: Wrong = async (id) => {
  const { status } = (await at.show(id)).body
  return status === 'suspended' ? undefined : `is ${status}`
}
const release: Change = (id) => at.call('DELETE', `/workstations/${id}`)
const isThere: Wrong = async (id) => {
  const { status } = await at.show(id)
  const told = await server.sql<{ type: string }>(
    `select type from platform.workspace_events where brand_id = $1 and data -> 'data' ->> 'workstation_id' = $2
     order by created_at, id`,
    [at.brand_id, id],
  )
  const last = told.at(-1)?.type
  if (status !== 404) return `is there, answered ${status}`
  return last === undefined || last === 'desk.released' ? undefined : `${last} is told after its release`
}

// Before a worker is there: it would check these desks as well.
test.each([
  ['suspended', suspend, isNotSuspended],
  ['released', release, isThere],
])(
  'a naive check makes a desk ready that was %s meanwhile',
  async (_, change, wrong) => {
    const { wrong: lost, rounds, examples } = await changes(change, wrong, true)
    console.log(`naive twin: wrong in ${lost} of ${rounds} rounds: ${examples[0]}`)
    expect(lost).toBeGreaterThan(0)
  },
  240_000,
)

test(`DESK-44, ENV-05: a desk that is suspended while it is checked stays suspended, in ${rounds} rounds`, async () => {
  await server.start('worker')
  other.as(await joined(other))
  expect(await changes(suspend, isNotSuspended, false)).toEqual({ rounds, wrong: 0, examples: [] })
})

test(`DESK-34, DESK-G10: a late answer brings no released desk back, in ${rounds} rounds`, async () => {
  expect(await changes(release, isThere, false)).toEqual({ rounds, wrong: 0, examples: [] })
})
