import { randomBytes } from 'node:crypto'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { beat, join } from './desk-agent.ts'
import { useSignedBundles } from './signed-bundles.ts'
import { UpdatedMachines } from './updated-machines.ts'

const bundles = useSignedBundles()
const env = { DESK_NETWORKS: '127.0.0.0/8', SIDECAR_BUNDLE_DIR: bundles.folder }
const server = useServer('product', env)
const { get } = server
let sha256 = ''
beforeAll(async () => {
  ;({ sha256 } = await bundles.publish(`console.log('1.0.0')`))
})

class Machine {
  readonly desk: DeskCaller
  /** What it was told to do. */
  command_id: string | undefined

  constructor(desk: DeskCaller) {
    this.desk = desk
  }

  static async join(at: UpdatedMachines, machine_key = randomBytes(32).toString('hex')): Promise<Machine> {
    const { workstation_id, pat } = await at.at.ordered()
    const desk = new DeskCaller(workstation_id, pat)
    expect((await join(get, desk, { machine_key })).status).toBe(200)
    return new Machine(desk)
  }

  async beat(more: object = {}): Promise<void> {
    const { status, body } = await beat(get, this.desk, more)
    expect(status).toBe(200)
    const [command] = body.commands as { payload: string }[]
    if (command) this.command_id = JSON.parse(command.payload).id
  }

  async end(outcome: 'done' | 'failed'): Promise<void> {
    const results = [{ id: this.command_id, outcome, error: outcome === 'failed' ? 'disk full' : null }]
    await this.beat({ results, ...(outcome === 'done' ? { digest: sha256, version: '1.0.0' } : {}) })
  }
}

const newMachines = async (at: UpdatedMachines, count: number): Promise<Machine[]> => {
  const made: Machine[] = []
  while (made.length < count) made.push(await Machine.join(at))
  return made
}
/** Every machine reports, until nobody more is told to begin. Those that were told so by now. */
async function begun(machines: readonly Machine[]): Promise<Machine[]> {
  const told = () => machines.filter(({ command_id }) => command_id !== undefined)
  for (let before = -1; before < told().length; ) {
    before = told().length
    // Machines that report at once wait for each other until their next beat.
    await Promise.all(machines.map((each) => each.beat()))
  }
  return told()
}

test('UPD-10 to UPD-14, UPD-18: of 50 machines one is shared and many are away; the others follow five canaries, five at a time', async () => {
  const [at, other] = [await UpdatedMachines.open(server), await UpdatedMachines.open(server)]
  const [shared, ...present] = (await newMachines(at, 17)) as [Machine, ...Machine[]]
  const away: string[] = []
  while (away.length < 33) away.push((await at.at.ordered()).workstation_id)
  const worker = await server.start('worker', env)
  const machine_key = randomBytes(32).toString('hex')
  const regenerated = await at.at.call<{ pat: string }>(
    'POST',
    `/workstations/${shared.desk.desk_id}/regenerate-pat`,
  )
  await join(get, new DeskCaller(shared.desk.desk_id, regenerated.body.pat), { machine_key })
  await Machine.join(other, machine_key)
  await waitFor(async () => {
    const [row] = await server.sql('select shares_machine from fleet.desks where id = $1', [
      shared.desk.desk_id,
    ])
    return row?.shares_machine
  }, 30_000)
  await worker.stop()

  const { status, body } = await at.requestAll()
  expect([status, body.queued, body.failed, body.requests.length]).toEqual([202, 49, 1, 50])
  expect(body.requests.filter((each) => each.status === 'failed').map((each) => each.machine_id)).toEqual([
    shared.desk.desk_id,
  ])

  const canaries = await begun(present)
  expect(canaries).toHaveLength(5)
  const [last, ...others] = canaries as [Machine, ...Machine[]]
  await Promise.all(others.map((each) => each.end('done')))
  // The fifth canary has not ended.
  let left = present.filter((each) => !others.includes(each))
  expect(await begun(left)).toEqual([last])
  await last.end('done')
  left = left.filter((each) => each !== last)
  for (const expected of [5, 5, 1]) {
    const batch = await begun(left)
    expect(batch).toHaveLength(expected)
    await Promise.all(batch.map((each) => each.end('done')))
    left = left.filter((each) => !batch.includes(each))
  }
  const states = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map(async (id) => (await at.update(id)).state))
    return [...new Set(found)]
  }
  expect(await states(present.map(({ desk }) => desk.desk_id))).toEqual(['done'])
  expect(await states(away.slice(0, 5))).toEqual(['queued'])
})

test('UPD-13: one failure in fifty ends a rollout for all that have not begun', async () => {
  const at = await UpdatedMachines.open(server)
  const machines = await newMachines(at, 12)
  await at.requestAll()
  const canaries = await begun(machines)
  expect(canaries).toHaveLength(5)
  const [bad, good, later, silent] = canaries as [Machine, Machine, Machine, Machine]
  await bad.end('failed')
  await good.end('done')
  const waiting = machines.filter((each) => !canaries.includes(each))
  expect(await begun(waiting)).toEqual([])
  for (const each of waiting)
    expect(await at.update(each.desk.desk_id)).toMatchObject({
      state: 'failed',
      error: 'Stopped, because the update has failed on 1 of 12 machines',
    })
  // Those that had begun go on.
  await later.end('done')
  expect((await at.update(later.desk.desk_id)).state).toBe('done')
  expect((await at.update(silent.desk.desk_id)).state).toBe('queued')
})
