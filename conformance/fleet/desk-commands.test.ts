import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { getSidecarBundle, sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import { commandBase, commandKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import type { Get } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asDesk, beat, join } from './desk-agent.ts'
import { useSignedBundles } from './signed-bundles.ts'
import { UpdatedMachines } from './updated-machines.ts'

const bundles = useSignedBundles()
const env = { DESK_NETWORKS: '127.0.0.0/8', SIDECAR_BUNDLE_DIR: bundles.folder }
const server = useServer('product', env)
let clock: VirtualClock
let api: ServerProcess
const get: Get = (path, init) => fetch(`${api.url}${path}`, init)
let machines: UpdatedMachines
let sha256 = ''
beforeAll(async () => {
  ;({ sha256 } = await bundles.publish(`console.log('1.0.0')`))
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...env, ...clock.env })
  machines = await UpdatedMachines.open({ sql: server.sql, get })
})
afterAll(() => clock?.close())

interface Command {
  readonly id: string
  readonly desk_id: string
  readonly kind: string
  readonly issued_at: string
  readonly expires_at: string
  readonly bundle: { readonly sha256: string; readonly version: string }
}
interface Told {
  readonly commands: readonly { payload: string; signature: string }[]
  readonly command_key?: { readonly key: string; readonly signature: string }
}
interface Machine {
  readonly id: string
  readonly desk: DeskCaller
  readonly command_key: string
}

/** By the clock of the tests. */
let passedMs = 0
const created = () => Math.floor((Date.now() + passedMs) / 1000)

async function joined(at = machines, machine_key = randomBytes(32).toString('hex')): Promise<Machine> {
  const { workstation_id: id, pat } = await at.at.ordered()
  const desk = new DeskCaller(id, pat)
  const { status, body } = await join(get, desk, { machine_key }, { created: created() })
  expect(status).toBe(200)
  return { id, desk, command_key: body.command_key }
}
async function told({ desk }: Machine, more: object = {}, by = get): Promise<Told> {
  const { status, body } = await beat(by, desk, more, { created: created() })
  expect(status).toBe(200)
  return body as unknown as Told
}
const commandsIn = ({ commands }: Told): Command[] => commands.map(({ payload }) => JSON.parse(payload))
const isSignedBy = (x: string, text: string, signature: string) =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  )
const result = (id: string, outcome: string, error: string | null = null) => ({
  results: [{ id, outcome, error }],
})
/** What a machine says that has carried out the command. */
const updated = (id: string) => ({ ...result(id, 'done'), digest: sha256, version: '1.0.0' })

test('UPD-G8: a command is signed for its desk and sent until the desk has accepted it, and what became of it is kept at once', async () => {
  const machine = await joined()
  expect((await told(machine)).commands).toEqual([])
  await machines.request(machine.id)
  const first = await told(machine, { version: '0.9.0' })
  const [command] = commandsIn(first) as [Command]
  expect(command).toMatchObject({ desk_id: machine.id, kind: 'update', bundle: { sha256, version: '1.0.0' } })
  expect(Date.parse(command.expires_at) - Date.parse(command.issued_at)).toBe(600_000)
  const { payload = '', signature = '' } = first.commands[0] ?? {}
  expect(isSignedBy(machine.command_key, commandBase(payload), signature)).toBe(true)
  expect(commandsIn(await told(machine))).toEqual([command])
  expect((await machines.update(machine.id)).state).toBe('queued')

  // Another desk cannot say what became of it.
  const other = await joined()
  await told(other, result(command.id, 'failed', 'not mine'))
  expect((await machines.update(machine.id)).state).toBe('queued')

  expect((await told(machine, result(command.id, 'accepted'))).commands).toEqual([])
  expect((await machines.update(machine.id)).state).toBe('queued')
  await told(machine, result(command.id, 'running'))
  expect(await machines.update(machine.id)).toMatchObject({ state: 'running', from_version: '0.9.0' })
  await told(machine, updated(command.id))
  const done = { state: 'done', error: null, from_version: '0.9.0', to_version: '1.0.0' }
  expect(await machines.update(machine.id)).toMatchObject(done)
  // Once it has ended, nothing changes that.
  await told(machine, result(command.id, 'failed', 'after all'))
  expect(await machines.update(machine.id)).toMatchObject(done)
  expect(await machines.at.audited()).toContain('desk.updated')
  expect((await machines.at.events()).filter((type) => type.startsWith('desk.update'))).toEqual([
    'desk.updated',
  ])
})

test('UPD-G8: a failure keeps its reason, and a machine that says it is done and runs something else has failed', async () => {
  const machine = await joined()
  for (const [outcome, error, expected] of [
    ['failed', 'disk full', 'disk full'],
    ['refused', null, 'The machine gave no reason'],
    ['done', null, 'The machine says that it is done, and runs another sidecar'],
  ] as const) {
    await machines.request(machine.id)
    const [command] = commandsIn(await told(machine)) as [Command]
    await told(machine, result(command.id, outcome, error))
    expect(await machines.update(machine.id)).toMatchObject({ state: 'failed', error: expected })
  }
  expect(await machines.at.audited()).toContain('desk.update_failed')
  const failures = (await machines.at.events()).filter((type) => type === 'desk.update_failed')
  expect(failures).toHaveLength(3)
})

test('a command that was not accepted within ten minutes is replaced by a new one, and the old one changes nothing', async () => {
  const machine = await joined()
  await machines.request(machine.id)
  const [first] = commandsIn(await told(machine)) as [Command]
  passedMs += 600_000
  await clock.advance(600_000)
  const [second] = commandsIn(await told(machine)) as [Command]
  expect(second.id).not.toBe(first.id)
  await told(machine, result(first.id, 'failed', 'too late'))
  expect((await machines.update(machine.id)).state).toBe('queued')
  await told(machine, updated(second.id))
  expect((await machines.update(machine.id)).state).toBe('done')
})

test('UPD-G6: a machine that was suspended after the request is told nothing until it is resumed, and one that has the version is done', async () => {
  const machine = await joined()
  await machines.request(machine.id)
  await machines.at.change(machine.id, { status: 'suspended' })
  expect((await told(machine)).commands).toEqual([])
  await machines.at.change(machine.id, { status: 'provisioned' })
  expect((await told(machine)).commands).toHaveLength(1)

  const current = await joined()
  await machines.request(current.id)
  expect((await told(current, { digest: sha256, version: '1.0.0' })).commands).toEqual([])
  expect(await machines.update(current.id)).toMatchObject({ state: 'done', to_version: '1.0.0' })
})

test('an update that another machine had begun waits for the one that has joined in its place', async () => {
  const machine = await joined()
  await machines.request(machine.id)
  const [command] = commandsIn(await told(machine)) as [Command]
  await told(machine, result(command.id, 'running'))
  const { body } = await machines.at.call<{ pat: string }>(
    'POST',
    `/workstations/${machine.id}/regenerate-pat`,
  )
  const desk = new DeskCaller(machine.id, body.pat)
  await join(get, desk, {}, { created: created() })
  expect(await machines.update(machine.id)).toMatchObject({ state: 'queued', started_at: null })
  const [again] = commandsIn(await told({ ...machine, desk })) as [Command]
  expect(again.id).not.toBe(command.id)
})

test('one that was accepted and is never heard of again has failed after four hours', async () => {
  const machine = await joined()
  await machines.request(machine.id)
  const [command] = commandsIn(await told(machine)) as [Command]
  await told(machine, result(command.id, 'running'))
  passedMs += 4 * 3_600_000 + 60_000
  await clock.advance(4 * 3_600_000 + 60_000)
  const worker = await server.start('worker', { ...env, ...clock.env })
  await server.sql(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  await expect
    .poll(async () => machines.update(machine.id), { timeout: 60_000 })
    .toMatchObject({
      state: 'failed',
      error: 'The machine has not said what became of the update within 4 hours',
    })
  expect((await machines.at.events()).at(-1)).toBe('desk.update_failed')
  expect((await machines.at.audited()).at(-1)).toBe('desk.update_failed')
  await worker.stop()
})

test('a desk that knows an older command key is told the new one by it, and its commands are signed by it until then', async () => {
  const machine = await joined()
  await machines.request(machine.id)
  const keys = { SIGNING_KEY: randomBytes(32).toString('hex') }
  const rotated = await server.start('api', {
    ...env,
    ...clock.env,
    ...keys,
    // That of the other processes.
    SIGNING_KEYS_ACCEPTED: 'a-signing-key-for-tests-0123456789',
  })
  const there: Get = (path, init) => fetch(`${rotated.url}${path}`, init)
  const answer = await told(machine, { command_key: machine.command_key }, there)
  const { key = '', signature = '' } = answer.command_key ?? {}
  expect(key).not.toBe(machine.command_key)
  expect(isSignedBy(machine.command_key, commandKeyBase(machine.id, key), signature)).toBe(true)
  const [command] = answer.commands
  expect(isSignedBy(machine.command_key, commandBase(command?.payload ?? ''), command?.signature ?? '')).toBe(
    true,
  )
  const later = await told(machine, { command_key: key }, there)
  expect(later.command_key).toBeUndefined()
  const [again] = later.commands
  expect(isSignedBy(key, commandBase(again?.payload ?? ''), again?.signature ?? '')).toBe(true)
  await rotated.stop()
})

test('the file of an update is there for desks alone, under its digest alone', async () => {
  const { desk } = await joined()
  const path = `${getSidecarBundle.path}?sha256=${sha256}`
  const headers = () => desk.headersFor(getSidecarBundle, '', { created: created() })
  const found = await get(path, { headers: headers() })
  expect([found.status, await found.text()]).toEqual([200, `console.log('1.0.0')`])
  const missing = await get(`${getSidecarBundle.path}?sha256=${'0'.repeat(64)}`, { headers: headers() })
  expect(missing.status).toBe(404)
  await missing.text()
  for (const credentials of [{}, { authorization: `Bearer ${desk.secret}` }]) {
    const refused = await get(path, { headers: credentials })
    expect(refused.status).toBe(401)
    await refused.text()
  }
})

test('a beat names no more than twenty results, and unknown ones are ignored', async () => {
  const machine = await joined()
  const results = Array.from({ length: 21 }, () => ({ id: randomUUID(), outcome: 'done', error: null }))
  const { status } = await asDesk(
    get,
    machine.desk,
    sendBeat,
    { ...sendBeat.example.body, results },
    { created: created() },
  )
  expect(status).toBe(422)
  expect((await told(machine, { results: results.slice(1) })).commands).toEqual([])
})
