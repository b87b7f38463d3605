import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { bundleBase, bundleKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BuildLeases } from '../builds/leases.ts'
import { createLog } from '../log.ts'
import { UpdateFile } from './update-file.ts'
import { type Outcome, Updater, type UpdaterParts } from './updater.ts'
import { folderOf, sha256Of, VersionFolders } from './version-folders.ts'

const publicHalf = (key: KeyObject) => String(key.export({ format: 'jwk' }).x)
const signed = (key: KeyObject, text: string) => sign(null, Buffer.from(text), key).toString('base64url')
const [root, signing] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
const key = publicHalf(signing.publicKey)
const code = Buffer.from(`console.log('2.0.0')`)
const facts = { version: '2.0.0', floor: '2.0.0', bytes: code.length, sha256: sha256Of(code) }
const bundle: SidecarBundle = {
  ...facts,
  signature: signed(signing.privateKey, bundleBase(facts)),
  key,
  key_signature: signed(root.privateKey, bundleKeyBase(key)),
}
const newFolder = folderOf('2.0.0', facts.sha256)
const old = { version: '1.0.0', digest: 'f'.repeat(64) }
const command = randomUUID()

let folder = ''
let leases = new BuildLeases(folder)
let folders = new VersionFolders(folder)
let file = new UpdateFile(folder)
let told: Outcome[] = []
let restarts = 0
let floors = 0
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'updater-'))
  ;[leases, folders, file] = [new BuildLeases(folder), new VersionFolders(folder), new UpdateFile(folder)]
  await leases.open()
  await folders.add('1.0.0-old', Buffer.from(`console.log('1.0.0')`))
  await folders.flipTo('1.0.0-old')
  ;[told, restarts, floors] = [[], 0, 0]
})
afterEach(() => rm(folder, { recursive: true }))

/** As a process has it. */
const updater = (more: Partial<UpdaterParts> = {}) =>
  new Updater({
    settings: { directory: folder, root_key: publicHalf(root.publicKey), probation_s: 1, trial_s: 60 },
    code: old,
    folders,
    file,
    leases,
    log: createLog(() => undefined),
    stop: new AbortController().signal,
    faultPoint: () => {},
    fetchBundle: async () => code,
    floor: () => null,
    tell: async (_, outcome) => {
      told.push(outcome)
    },
    proven: async () => {
      floors += 1
    },
    restart: () => {
      restarts += 1
    },
    ...more,
  })
const outcomes = () => told.map(({ outcome }) => outcome)

test('a process that dies before the swap leaves the barrier up, and the next one swaps', async () => {
  const dying = updater({ tell: () => Promise.reject(new Error('killed')) })
  expect(await dying.begin(command, bundle)).toEqual({ outcome: 'accepted', error: null })
  await dying.settled()
  expect([await folders.current(), await leases.isBarred(), restarts]).toEqual(['1.0.0-old', true, 0])
  const next = updater()
  await next.resume()
  await next.settled()
  expect([await folders.current(), await leases.isBarred(), restarts]).toEqual([newFolder, true, 1])
  expect(outcomes()).toEqual(['running'])
})

test('one that dies between its note of the swap and the swap itself is followed by one that swaps', async () => {
  await folders.add(newFolder, code)
  const update = { command_id: command, bundle, from: '1.0.0-old', crashes: 0, error: null }
  await file.write({ ...update, phase: 'on_trial' })
  const next = updater()
  await next.resume()
  await next.settled()
  expect([await folders.current(), restarts]).toEqual([newFolder, 1])
})

test('the new version is kept once it was heard, and only then builds begin again', async () => {
  await file.write({
    command_id: command,
    bundle,
    phase: 'on_trial',
    from: '1.0.0-old',
    crashes: 0,
    error: null,
  })
  await leases.raiseBarrier('update')
  await folders.add(newFolder, code)
  const next = updater({ code: { version: '2.0.0', digest: facts.sha256 } })
  await next.resume()
  expect([await leases.isBarred(), floors]).toEqual([true, 0])
  next.heard()
  await next.settled()
  expect([outcomes(), floors, await leases.isBarred(), await file.read()]).toEqual([
    ['done'],
    1,
    false,
    undefined,
  ])
  expect(await folders.digestOf('1.0.0-old')).toBeDefined()
})

test('after the supervisor has taken a version back, the old one says so and lets builds begin', async () => {
  const error = 'The new version ended with code 3 2 times, and was taken back'
  await file.write({ command_id: command, bundle, phase: 'reverted', from: '1.0.0-old', crashes: 2, error })
  await leases.raiseBarrier('update')
  await updater().resume()
  expect([told, await leases.isBarred()]).toEqual([[{ outcome: 'failed', error }], false])
})

test('a file that was changed on the disk while the update waited is not swapped in', async () => {
  const lease = (await leases.take(process.pid)) ?? ''
  const waiting = updater()
  await waiting.begin(command, bundle)
  await waitFor(() => leases.isBarred(), 10_000)
  await folders.add(newFolder, Buffer.from(`console.log('2.0.0') // changed`))
  await leases.drop(lease)
  await waiting.settled()
  expect([await folders.current(), restarts, outcomes()]).toEqual(['1.0.0-old', 0, ['failed']])
  expect(await leases.isBarred()).toBe(false)
})

test('a second update is refused while one is under way, and the same one is accepted again', async () => {
  await leases.take(process.pid)
  const stopping = new AbortController()
  const waiting = updater({ stop: stopping.signal })
  await waiting.begin(command, bundle)
  expect((await waiting.begin(randomUUID(), bundle)).outcome).toBe('refused')
  expect((await waiting.begin(command, bundle)).outcome).toBe('accepted')
  stopping.abort()
  await waiting.settled()
  expect(restarts).toBe(0)
})

const trials = scaled(100, 8)
test(`UPD-09: in ${trials} trials no build runs when the swap happens, and none begins before it is over`, async () => {
  let begun = 0
  for (let trial = 0; trial < trials; trial += 1) {
    let running = 0
    let isSwapped = false
    const seen: number[] = []
    const update = updater({
      restart: () => {
        isSwapped = true
        seen.push(running)
      },
    })
    // Builds come and go all the time, and each counts from before it takes its lease until after it has dropped it.
    const builds = Array.from({ length: 3 }, async () => {
      while (!isSwapped) {
        const lease = await leases.take(process.pid)
        if (lease === undefined) continue
        running += 1
        begun += 1
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
        running -= 1
        await leases.drop(lease)
      }
    })
    await update.begin(command, bundle)
    await update.settled()
    isSwapped = true
    await Promise.all(builds)
    expect(seen).toEqual([0])
    expect(await leases.take(process.pid)).toBeUndefined()
    await file.remove()
    await leases.lowerBarrier('update')
    await folders.flipTo('1.0.0-old')
  }
  expect(begun).toBeGreaterThan(trials)
})
