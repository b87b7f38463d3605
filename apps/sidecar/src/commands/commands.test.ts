import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SignedCommand } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { commandBase, commandKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BuildLeases } from '../builds/leases.ts'
import { createLog } from '../log.ts'
import { RecordFile } from '../state/desk-record.ts'
import { Commands } from './commands.ts'

const env_id = randomUUID()
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const command_key = String(publicKey.export({ format: 'jwk' }).x)
const [before, now, later] = ['2026-11-16T09:00:00Z', '2026-11-16T09:05:00Z', '2026-11-16T09:10:00Z']

let folder = ''
let leases = new BuildLeases(folder)
let commands: Commands
let sending: () => Promise<void>
let rotating: () => Promise<boolean | undefined>
/** As after a restart. */
const open = async () => {
  const file = new RecordFile(folder)
  const flags = { is_quarantined: false, is_released: false }
  const fresh = { env_id, command_key, ...flags, floor: null, mesh: null, results: [] }
  const record = (await file.read()) ?? fresh
  const log = createLog(() => undefined)
  return new Commands({
    file,
    record,
    leases,
    log,
    updater: undefined,
    rotateKey: () => rotating(),
    sendLogs: () => sending(),
  })
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-'))
  leases = new BuildLeases(folder)
  await leases.open()
  sending = async () => undefined
  rotating = async () => undefined
  commands = await open()
})
afterEach(() => rm(folder, { recursive: true }))

const drain = {
  id: randomUUID(),
  desk_id: env_id,
  issued_at: before,
  expires_at: later,
  kind: 'drain',
  is_on: true,
}
function signed(command: object, key = privateKey): SignedCommand {
  const payload = JSON.stringify(command)
  return { payload, signature: sign(null, Buffer.from(commandBase(payload)), key).toString('base64url') }
}
const done = (id: string) => ({ id, outcome: 'done', error: null })

test('a signed command is carried out, and what became of it is told until it was heard', async () => {
  await commands.take(signed(drain), now)
  expect(await leases.isBarred()).toBe(true)
  expect(commands.untold(20)).toEqual([done(drain.id)])
  commands = await open()
  const told = commands.untold(20)
  expect(told).toEqual([done(drain.id)])
  await commands.told(told)
  expect((await open()).untold(20)).toEqual([])
})

test('the same command is not carried out twice, also after a restart, but told again', async () => {
  await commands.take(signed(drain), now)
  await commands.told(commands.untold(20))
  await leases.lowerBarrier('drain')
  commands = await open()
  await commands.take(signed(drain), now)
  expect(await leases.isBarred()).toBe(false)
  expect(commands.untold(20)).toEqual([done(drain.id)])
})

test.each([
  ['is signed by another key', signed(drain, generateKeyPairSync('ed25519').privateKey)],
  ['was changed', { ...signed(drain), payload: JSON.stringify({ ...drain, is_on: false }) }],
  ['is for another desk', signed({ ...drain, desk_id: randomUUID() })],
  ['has expired by the clock of the service', signed({ ...drain, expires_at: now })],
  ['is of no known kind', signed({ ...drain, kind: 'shell' })],
  ['is no JSON', { ...signed({}), payload: '{' }],
])('a command that %s is ignored', async (_, command) => {
  await commands.take(command, now)
  expect(await leases.isBarred()).toBe(false)
  expect(commands.untold(20)).toEqual([])
})

test('a drain ends with the command that says so', async () => {
  await commands.take(signed(drain), now)
  await commands.take(signed({ ...drain, id: randomUUID(), is_on: false }), now)
  expect(await leases.isBarred()).toBe(false)
})

test('what this sidecar cannot do is refused with a reason', async () => {
  const id = randomUUID()
  await commands.take(signed({ ...drain, id, kind: 'rotate_key' }), now)
  expect(commands.untold(20)).toEqual([
    { id, outcome: 'refused', error: 'This desk is in no private network' },
  ])
})

test('a key is replaced once; if the hub does not answer to the new one, that is a failure', async () => {
  let rotated = 0
  rotating = async () => {
    rotated += 1
    return rotated === 1
  }
  const [first, second] = [randomUUID(), randomUUID()]
  for (const id of [first, first, second])
    await commands.take(signed({ ...drain, id, kind: 'rotate_key' }), now)
  expect(rotated).toBe(2)
  expect(commands.untold(20)).toEqual([
    done(first),
    { id: second, outcome: 'failed', error: 'The hub has not answered to another key' },
  ])
})

test('logs are sent once, and a line that breaks is a failure', async () => {
  let sent = 0
  sending = async () => {
    sent += 1
  }
  const collect = { ...drain, id: randomUUID(), kind: 'collect_logs' }
  await commands.take(signed(collect), now)
  await commands.take(signed(collect), now)
  expect([sent, commands.untold(20)]).toEqual([1, [done(collect.id)]])
  sending = () => Promise.reject(new Error('the line broke'))
  const failing = { ...collect, id: randomUUID() }
  await commands.take(signed(failing), now)
  expect(commands.untold(20).at(-1)).toMatchObject({ id: failing.id, outcome: 'failed' })
})

test('the key that is known says which one is next, and nobody else does', async () => {
  const next = generateKeyPairSync('ed25519')
  const key = String(next.publicKey.export({ format: 'jwk' }).x)
  const by = (signing: typeof privateKey, desk = env_id) =>
    sign(null, Buffer.from(commandKeyBase(desk, key)), signing).toString('base64url')
  for (const signature of [by(next.privateKey), by(privateKey, randomUUID())]) {
    await commands.adoptKey({ key, signature })
    expect(commands.command_key).toBe(command_key)
  }
  await commands.adoptKey({ key, signature: by(privateKey) })
  commands = await open()
  expect(commands.command_key).toBe(key)
  await commands.take(signed(drain), now)
  expect(await leases.isBarred()).toBe(false)
  await commands.take(signed(drain, next.privateKey), now)
  expect(await leases.isBarred()).toBe(true)
})

test('what became of an update is told again when more is known, also while a beat is under way', async () => {
  const id = randomUUID()
  await commands.note(id, { outcome: 'running', error: null })
  const sent = commands.untold(20)
  await commands.note(id, { outcome: 'done', error: null })
  await commands.told(sent)
  expect(commands.untold(20)).toEqual([done(id)])
})
