import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { asVersion, useSignedBundles } from './signed-bundles.ts'
import { limitMs, running, SupervisedMachines } from './supervised-machines.ts'
import { UpdatedMachines } from './updated-machines.ts'

const bundles = useSignedBundles()
const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8', SIDECAR_BUNDLE_DIR: bundles.folder })
const sidecars = useSidecars()
let machines: UpdatedMachines
let desks: SupervisedMachines
let newer = ''
let own = ''
beforeAll(async () => {
  machines = await UpdatedMachines.open(server)
  desks = new SupervisedMachines({ server_url: server.api.url, bundles, sidecars, machines })
  own = JSON.parse(await readFile('apps/sidecar/package.json', 'utf8')).version
  newer = await asVersion(sidecars.file, '98.0.9')
})

test('UPD-08, UPD-09, UPD-G8: an update waits for the build that runs, no other begins, and a killed machine goes on with it', async () => {
  const { sha256 } = await bundles.publish(newer)
  const { id, place } = await desks.requested()
  const running7 = desks.build(place, 'while [ ! -e go ]; do sleep 0.05; done; exit 7')
  await waitFor(async () => (await readdir(join(place.state_dir, 'builds'))).length > 0, limitMs)
  const killed = desks.supervise(place)
  await killed.logged('an update waits for builds')
  expect(await desks.build(place, 'true').ended).toBe(75)
  expect(await machines.update(id)).toMatchObject({ state: 'queued', error: null, started_at: null })
  await killed.kill()

  const supervisor = desks.supervise(place)
  await supervisor.logged('an update waits for builds')
  expect(await desks.build(place, 'true').ended).toBe(75)
  expect((await running(place)).version).toBe(own)
  await writeFile(join(place.folder, 'go'), '')
  expect(await running7.ended).toBe(7)
  const swapped = await supervisor.logged('swapped')
  expect(swapped.builds).toBe(0)
  await desks.until(id, 'running')
  const done = await desks.until(id, 'done')
  expect(done).toMatchObject({ error: null, from_version: own, to_version: '98.0.9' })
  expect(done.started_at && done.ended_at && done.started_at < done.ended_at).toBe(true)
  expect(await running(place)).toMatchObject({ version: '98.0.9', digest: sha256 })
  await waitFor(async () => (await desks.build(place, 'true').ended) === 0, limitMs)

  // Its floor is the version itself, whoever asks for an older one, and 98.0.9 is older than 98.0.10.
  expect(await supervisor.stop()).toBe(0)
  await bundles.publish(await asVersion(sidecars.file, '98.0.8'))
  await machines.request(id)
  const refusing = desks.supervise(place)
  const refused = await desks.until(id, 'failed')
  expect(refused.error).toBe('Version 98.0.8 is older than 98.0.9, the oldest that this desk takes')
  await refusing.stop()
  await bundles.publish(await asVersion(sidecars.file, '98.0.10'))
  await machines.request(id)
  const last = desks.supervise(place)
  expect(await desks.until(id, 'done')).toMatchObject({ from_version: '98.0.9', to_version: '98.0.10' })
  await waitFor(async () => (await readdir(join(place.folder, 'install', 'versions'))).length === 2, limitMs)
  await last.stop()
})

test('UPD-G8: one changed byte, and a bundle of another root key, are refused, and the machine goes on as it was', async () => {
  const { sha256 } = await bundles.publish(newer)
  const code = await readFile(bundles.file)
  code[1000] = (code[1000] ?? 0) ^ 1
  await writeFile(bundles.file, code)
  const { id, place } = await desks.requested()
  const supervisor = desks.supervise(place)
  expect((await desks.until(id, 'failed')).error).toBe('The file does not have the digest that was signed')
  const { digest, version } = await running(place)
  expect(version).toBe(own)
  expect(digest).not.toBe(sha256)
  expect(supervisor.logs('health is served')).toHaveLength(1)
  expect(await desks.build(place, 'true').ended).toBe(0)
  await supervisor.stop()

  await bundles.publish(newer, { is_foreign: true })
  await machines.request(id)
  const again = desks.supervise(place)
  expect((await desks.until(id, 'failed')).error).toBe(
    'The key of the bundle is not signed by the root key of this desk',
  )
  await again.stop()
})

test('UPD-G8: a version that starts and then crashes is taken back, and the update has failed', async () => {
  const crash = `if (process.argv[2] === 'run') { process.exit(3) }\n`
  await bundles.publish(crash + newer)
  const { id, place } = await desks.requested()
  const supervisor = desks.supervise(place)
  const began = performance.now()
  const failed = await desks.until(id, 'failed')
  expect(failed.error).toBe('The new version ended with code 3 2 times, and was taken back')
  expect(failed).toMatchObject({ to_version: own })
  expect(performance.now() - began).toBeLessThan(90_000)
  expect((await running(place)).version).toBe(own)
  expect(await readlink(join(place.folder, 'install', 'current'))).toContain(own)
  expect(await desks.build(place, 'true').ended).toBe(0)
  expect(supervisor.logs('the sidecar ended')).toHaveLength(2)
  await supervisor.stop()
})

test.each([
  ['is silent', `if (process.argv[2] === 'run') globalThis.fetch = () => new Promise(() => {})\n`, 1],
  ['passes its probation late', '', 60],
])(
  'UPD-G8: a version that %s is taken back when its trial is over, and the update has failed',
  async (_, code, probation_s) => {
    await bundles.publish(code + newer)
    const { id, place } = await desks.requested({ probation_s, trial_s: 6 })
    const supervisor = desks.supervise(place)
    await supervisor.logged('swapped')
    // It runs and answers health checks: only the service can say that it was not heard, or not for long enough.
    await waitFor(async () => (await running(place)).version === '98.0.9', limitMs)
    expect(await desks.build(place, 'true').ended).toBe(75)
    const failed = await desks.until(id, 'failed')
    expect(failed.error).toBe('The new version had not proven itself in time, and was taken back')
    expect(failed).toMatchObject({ from_version: own, to_version: own })
    expect(await running(place)).toMatchObject({ version: own })
    expect(supervisor.logs('took back the new version')).toHaveLength(1)
    expect(await readlink(join(place.folder, 'install', 'current'))).toContain(own)
    await waitFor(async () => (await desks.build(place, 'true').ended) === 0, limitMs)
    await supervisor.stop()
  },
)
