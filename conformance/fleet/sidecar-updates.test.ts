import { randomBytes } from 'node:crypto'
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SidecarPlace, type SidecarProcess, useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { asVersion, useSignedBundles } from './signed-bundles.ts'
import { UpdatedMachines } from './updated-machines.ts'

const bundles = useSignedBundles()
const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8', SIDECAR_BUNDLE_DIR: bundles.folder })
const sidecars = useSidecars()
const limitMs = 60_000
let machines: UpdatedMachines
let newer = ''
let own = ''
beforeAll(async () => {
  machines = await UpdatedMachines.open(server)
  own = JSON.parse(await readFile('apps/sidecar/package.json', 'utf8')).version
  newer = await asVersion(sidecars.file, '98.0.9')
})

/** A machine with a supervisor that was never started, and an update that waits for it. */
async function requested(): Promise<{ id: string; place: SidecarPlace }> {
  const { workstation_id: id, pat } = await machines.at.ordered()
  await machines.request(id)
  const place = await sidecars.place({ server_url: server.api.url, env_id: id, pat })
  const settings = JSON.parse(await readFile(place.settings_file, 'utf8'))
  const updates = {
    directory: join(place.folder, 'install'),
    root_key: bundles.root_key,
    probation_s: 1,
    trial_s: 15,
  }
  await writeFile(place.settings_file, JSON.stringify({ ...settings, updates }))
  return { id, place }
}
const supervise = (place: SidecarPlace): SidecarProcess => sidecars.run(place, ['supervise'])

const until = (id: string, state: string) =>
  waitFor(async () => {
    const update = await machines.update(id)
    if (update.state !== state && ['done', 'failed'].includes(update.state))
      throw new Error(`the update ended as ${update.state}: ${update.error}`)
    return update.state === state && update
  }, limitMs)
const running = async (place: SidecarPlace): Promise<{ version: string; digest: string }> => {
  const nonce = randomBytes(32).toString('base64url')
  const response = await fetch(`${place.url}/v1/health?nonce=${nonce}`)
  return (await response.json()) as { version: string; digest: string }
}
const build = (place: SidecarPlace, script: string) => sidecars.run(place, ['build', 'sh', '-c', script])

test('UPD-08, UPD-09, UPD-G8: an update waits for the build that runs, no other begins, and a killed machine goes on with it', async () => {
  const { sha256 } = await bundles.publish(newer)
  const { id, place } = await requested()
  const running7 = build(place, 'while [ ! -e go ]; do sleep 0.05; done; exit 7')
  await waitFor(async () => (await readdir(join(place.state_dir, 'builds'))).length > 0, limitMs)
  const killed = supervise(place)
  await killed.logged('an update waits for builds')
  expect(await build(place, 'true').ended).toBe(75)
  expect(await machines.update(id)).toMatchObject({ state: 'queued', error: null, started_at: null })
  await killed.kill()

  const supervisor = supervise(place)
  await supervisor.logged('an update waits for builds')
  expect(await build(place, 'true').ended).toBe(75)
  expect((await running(place)).version).toBe(own)
  await writeFile(join(place.folder, 'go'), '')
  expect(await running7.ended).toBe(7)
  const swapped = await supervisor.logged('swapped')
  expect(swapped.builds).toBe(0)
  await until(id, 'running')
  const done = await until(id, 'done')
  expect(done).toMatchObject({ error: null, from_version: own, to_version: '98.0.9' })
  expect(done.started_at && done.ended_at && done.started_at < done.ended_at).toBe(true)
  expect(await running(place)).toMatchObject({ version: '98.0.9', digest: sha256 })
  await waitFor(async () => (await build(place, 'true').ended) === 0, limitMs)

  // Its floor is the version itself, whoever asks for an older one, and 98.0.9 is older than 98.0.10.
  expect(await supervisor.stop()).toBe(0)
  await bundles.publish(await asVersion(sidecars.file, '98.0.8'))
  await machines.request(id)
  const refusing = supervise(place)
  const refused = await until(id, 'failed')
  expect(refused.error).toBe('Version 98.0.8 is older than 98.0.9, the oldest that this desk takes')
  await refusing.stop()
  await bundles.publish(await asVersion(sidecars.file, '98.0.10'))
  await machines.request(id)
  const last = supervise(place)
  expect(await until(id, 'done')).toMatchObject({ from_version: '98.0.9', to_version: '98.0.10' })
  await waitFor(async () => (await readdir(join(place.folder, 'install', 'versions'))).length === 2, limitMs)
  await last.stop()
})

test('UPD-G8: one changed byte, and a bundle of another root key, are refused, and the machine goes on as it was', async () => {
  const { sha256 } = await bundles.publish(newer)
  const code = await readFile(bundles.file)
  code[1000] = (code[1000] ?? 0) ^ 1
  await writeFile(bundles.file, code)
  const { id, place } = await requested()
  const supervisor = supervise(place)
  expect((await until(id, 'failed')).error).toBe('The file does not have the digest that was signed')
  const { digest, version } = await running(place)
  expect(version).toBe(own)
  expect(digest).not.toBe(sha256)
  expect(supervisor.logs('health is served')).toHaveLength(1)
  expect(await build(place, 'true').ended).toBe(0)
  await supervisor.stop()

  await bundles.publish(newer, { is_foreign: true })
  await machines.request(id)
  const again = supervise(place)
  expect((await until(id, 'failed')).error).toBe(
    'The key of the bundle is not signed by the root key of this desk',
  )
  await again.stop()
})

test('UPD-G8: a version that starts and then crashes is taken back, and the update has failed', async () => {
  const crash = `if (process.argv[2] === 'run') { process.exit(3) }\n`
  await bundles.publish(crash + newer)
  const { id, place } = await requested()
  const supervisor = supervise(place)
  const began = performance.now()
  const failed = await until(id, 'failed')
  expect(failed.error).toBe('The new version ended with code 3 2 times, and was taken back')
  expect(failed).toMatchObject({ to_version: own })
  expect(performance.now() - began).toBeLessThan(90_000)
  expect((await running(place)).version).toBe(own)
  expect(await readlink(join(place.folder, 'install', 'current'))).toContain(own)
  expect(await build(place, 'true').ended).toBe(0)
  expect(supervisor.logs('the sidecar ended')).toHaveLength(2)
  await supervisor.stop()
})
