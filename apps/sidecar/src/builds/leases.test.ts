import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BuildLeases } from './leases.ts'

let folder = ''
let leases = new BuildLeases(folder)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leases-'))
  leases = new BuildLeases(folder)
  await leases.open()
})
afterEach(() => rm(folder, { recursive: true }))

const taken = async (pid = process.pid): Promise<string> => (await leases.take(pid)) ?? 'barred'

test('a build counts from when it takes a lease until it drops it', async () => {
  const [one] = [await taken(), await taken()]
  expect(await leases.count()).toBe(2)
  await leases.drop(one)
  expect(await leases.count()).toBe(1)
})

test('no build begins behind the barrier, and one that ran before still counts', async () => {
  await taken()
  await leases.raiseBarrier('update')
  expect(await leases.take(process.pid)).toBeUndefined()
  expect(await leases.count()).toBe(1)
  await leases.lowerBarrier('update')
  expect(await leases.take(process.pid)).toBeDefined()
})

test('a build that was killed counts no longer, and its file is removed', async () => {
  const build = spawn('sleep', ['600'])
  const lease = await taken(build.pid ?? 0)
  expect(await leases.count()).toBe(1)
  build.kill('SIGKILL')
  await once(build, 'close')
  await waitFor(async () => (await leases.count()) === 0, 5000)
  expect(await readdir(join(folder, 'builds'))).not.toContain(lease)
})

test.each([
  ['the clock was set meanwhile', 'booted_at', 60, 1],
  ['the machine was started anew since', 'booted_at', -86_400, 0],
  ['another process has its number', 'ticks', 1, 0],
])('a build, where %s (%s %i): %i', async (_, field, by, count) => {
  const file = join(folder, 'builds', await taken())
  const [{ pid, started }] = JSON.parse(await readFile(file, 'utf8'))
  const moved = { ...started, [field]: started[field] + by }
  await writeFile(file, JSON.stringify([{ pid, started: moved }]))
  expect(await leases.count()).toBe(count)
})

test('a build counts as long as what it has started runs', async () => {
  const [wrapper, child] = [spawn('sleep', ['600']), spawn('sleep', ['600'])]
  const lease = await taken(wrapper.pid)
  await leases.extend(lease, [wrapper.pid ?? 0, child.pid ?? 0])
  wrapper.kill('SIGKILL')
  await once(wrapper, 'close')
  expect(await leases.count()).toBe(1)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(await leases.count()).toBe(0)
})

test('of a build and an update that come at once, one always sees the other', async () => {
  for (let round = 0; round < 100; round += 1) {
    const update = leases.raiseBarrier('update').then(() => leases.count())
    const [lease, running] = await Promise.all([leases.take(process.pid), update])
    // Both may give way; both going on is what must not happen.
    expect(lease !== undefined && running === 0).toBe(false)
    if (lease) await leases.drop(lease)
    await leases.lowerBarrier('update')
  }
})
