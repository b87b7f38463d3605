import { randomBytes } from 'node:crypto'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { join } from './desk-agent.ts'
import { DeskWorkspace, nowhere } from './desk-workspace.ts'

const server = useServer('probe', { DESK_NETWORKS: '127.0.0.0/8' })

interface Item {
  readonly machine_id: string
  readonly machine_name: string
  readonly status: string
  readonly error: string | null
}
interface Request extends Item {
  readonly id: string
  readonly requested_by: { readonly user_id: number; readonly name: string }
  readonly requested_at: string
  readonly wait_for_idle: boolean
}
interface All {
  readonly requests: readonly Item[]
  readonly queued: number
  readonly failed: number
  readonly requested_at: string
}

class Machines {
  readonly at: DeskWorkspace
  readonly admin: Credential
  readonly member: Credential
  readonly admin_id: number

  constructor(at: DeskWorkspace, tokens: { admin: string; member: string }, admin_id: number) {
    this.at = at
    this.admin = { token: tokens.admin }
    this.member = { token: tokens.member }
    this.admin_id = admin_id
  }

  static async open(): Promise<Machines> {
    const at = await DeskWorkspace.open(server, 1000)
    const admin = await at.world.join(at.brand_id, 'admin')
    const tokens = {
      admin: await at.world.newToken(admin),
      member: await at.world.newToken({ brand_id: at.brand_id, person_id: at.person_id }),
    }
    return new Machines(at, tokens, admin.person_id)
  }

  request(id: string, by: Credential = this.admin, prefix = '/api/v1'): Promise<Answer<Request>> {
    return call<Request>(server.get, by, 'POST', `${prefix}/machines/${id}/updates`)
  }
  requestAll(by: Credential = this.admin): Promise<Answer<All>> {
    return call<All>(server.get, by, 'POST', '/api/v1/machines/updates')
  }
  list(
    id: string,
    by: Credential = this.member,
  ): Promise<Answer<{ updates: { id: string; state: string }[] }>> {
    return call(server.get, by, 'GET', `/api/v1/machines/${id}/updates`)
  }
  async newMachine(name = 'Machine'): Promise<string> {
    return (await this.at.ordered({ name })).workstation_id
  }
}

let own: Machines
beforeAll(async () => {
  own = await Machines.open()
})

test('UPD-01 to UPD-08, UPD-G1, UPD-G7: a request is queued for a machine that waits until it is idle', async () => {
  const id = await own.newMachine('Build desk')
  const before = Date.now()
  const { status, body } = await own.request(id)
  expect(status).toBe(202)
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    machine_id: id,
    machine_name: 'Build desk',
    status: 'queued',
    error: null,
    requested_by: { user_id: own.admin_id, name: expect.any(String) },
    requested_at: expect.stringMatching(/Z$/),
    wait_for_idle: true,
  })
  expect(body.requested_by.name).not.toBe('')
  expect(Math.abs(Date.parse(body.requested_at) - before)).toBeLessThan(60_000)
  expect(await own.at.audited()).toContain('desk.update_requested')
})

test('UPD-G5: while a request waits, another call returns it and makes no second one', async () => {
  const id = await own.newMachine()
  const first = await own.request(id)
  expect((await own.request(id)).body).toEqual(first.body)
  const { status, body } = await own.list(id)
  expect(status).toBe(200)
  expect(body.updates).toEqual([expect.objectContaining({ id: first.body.id, state: 'queued', error: null })])
})

test('UPD-15, UPD-16: members are refused with 403, callers without a valid token with 401', async () => {
  const id = await own.newMachine()
  for (const send of [(by: Credential) => own.request(id, by), (by: Credential) => own.requestAll(by)]) {
    expect((await send(own.member)).status).toBe(403)
    expect((await send({ cookie: own.at.cookie })).status).toBe(403)
    expect((await send(null)).status).toBe(401)
    expect((await send({ token: `chp_${'a'.repeat(40)}` })).status).toBe(401)
  }
  expect((await own.list(id)).body.updates).toEqual([])
})

test('UPD-17, UPD-G3: a machine that is unknown, of another workspace or no id at all is not found', async () => {
  const other = await Machines.open()
  const foreign = await other.newMachine()
  for (const id of [nowhere, foreign, 'not-an-id']) {
    for (const answer of [await own.request(id), await own.list(id, own.admin)])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Not found' }])
  }
  expect((await other.list(foreign)).body.updates).toEqual([])
})

test('UPD-10 to UPD-14, UPD-G6: all machines are requested; a suspended one fails and the others are queued', async () => {
  const all = await Machines.open()
  const names = ['A', 'B', 'C']
  const ids = []
  for (const name of names) ids.push(await all.newMachine(name))
  const [a, suspended, c] = ids as [string, string, string]
  await all.at.change(suspended, { status: 'suspended' })
  const waiting = await all.request(a)
  const { status, body } = await all.requestAll()
  expect(status).toBe(202)
  const error = 'This machine is suspended; resume it first'
  expect(body).toEqual({
    requests: [
      { machine_id: a, machine_name: 'A', status: 'queued', error: null },
      { machine_id: suspended, machine_name: 'B', status: 'failed', error },
      { machine_id: c, machine_name: 'C', status: 'queued', error: null },
    ],
    queued: 2,
    failed: 1,
    requested_at: expect.stringMatching(/Z$/),
  })
  const refused = await all.request(suspended)
  expect([refused.status, refused.body]).toEqual([409, { detail: error }])
  expect((await all.list(a)).body.updates.map(({ id }) => id)).toEqual([waiting.body.id])
  expect((await all.list(suspended)).body.updates).toEqual([])
  expect((await all.list(c)).body.updates).toHaveLength(1)
})

test('UPD-G2: in a workspace without machines the list is empty and both counts are 0', async () => {
  const { status, body } = await (await Machines.open()).requestAll()
  expect([status, body]).toEqual([
    202,
    { requests: [], queued: 0, failed: 0, requested_at: expect.any(String) },
  ])
})

test('UPD-18, UPD-G4: a machine that serves another workspace too remains operator-managed, until that one leaves it', async () => {
  const [one, two] = [await Machines.open(), await Machines.open()]
  const joined = async (machines: Machines, machine_key: string): Promise<string> => {
    const { workstation_id, pat } = await machines.at.ordered()
    const { status } = await join(server.get, new DeskCaller(workstation_id, pat), { machine_key })
    expect(status).toBe(200)
    return workstation_id
  }
  const machine_key = randomBytes(32).toString('hex')
  const shared = await joined(one, machine_key)
  // A second desk of the same workspace is no other brand.
  const beside = await joined(one, machine_key)
  const alone = await joined(one, randomBytes(32).toString('hex'))
  const worker = await server.start('worker')
  expect((await one.request(beside)).status).toBe(202)
  const foreign = await joined(two, machine_key)
  const refused = await waitFor(async () => {
    const answer = await one.request(shared)
    return answer.status === 409 && answer
  }, 30_000)
  const error = 'This machine shares its sidecar installation with another brand and remains operator-managed'
  expect(refused.body).toEqual({ detail: error })
  expect((await two.request(foreign)).status).toBe(409)
  const { body } = await one.requestAll()
  expect([body.queued, body.failed]).toEqual([1, 2])
  expect(body.requests.find(({ machine_id }) => machine_id === shared)?.error).toBe(error)
  expect((await one.request(alone)).status).toBe(202)

  await two.at.call('DELETE', `/workstations/${foreign}`)
  await waitFor(async () => (await one.request(shared)).status === 202, 30_000)

  // An erased workspace, or a desk that joins from another machine, tells nobody: the hourly sweep finds out.
  await joined(two, machine_key)
  await waitFor(async () => (await one.request(shared)).status === 409, 30_000)
  await server.sql('delete from fleet.desk_keys where brand_id = $1', [two.at.brand_id])
  await server.sql(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  await waitFor(async () => (await one.request(shared)).status === 202, 30_000)
  await worker.stop()
})

const rounds = roundsFor(200, 0.4)
const naive = '/api/v1/probe'
const doubled = (prefix: string) =>
  race<string>({
    rounds,
    isTwin: prefix === naive,
    clients: 2,
    setup: () => own.newMachine(),
    act: (id) => own.request(id, own.admin, prefix),
    async verdict(id, outcomes) {
      const table = prefix === naive ? 'probe.naive_updates' : 'fleet.machine_updates'
      const rows = await server.sql(`select from ${table} where desk_id = $1`, [id])
      const ids = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as Answer<Request>).body.id : undefined,
      )
      return rows.length === 1 && new Set(ids).size === 1 && ids[0]
        ? undefined
        : `${rows.length} requests, told as ${ids}`
    },
  })

test(`UPD-G5: two requests at once become one, in ${rounds} rounds`, async () => {
  expect(await doubled('/api/v1')).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race makes two where nothing is locked', async () => {
  const { wrong, rounds: played } = await doubled(naive)
  console.log(`naive twin: wrong in ${wrong} of ${played} rounds`)
  expect(wrong).toBeGreaterThan(0)
})
