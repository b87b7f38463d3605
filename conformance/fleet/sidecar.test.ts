import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BuildSettings } from '@crewhall/contracts/profiles/build-settings.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { DeskWorkspace, type Ordered } from './desk-workspace.ts'

const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8' })
const sidecars = useSidecars()
const limitMs = 30_000

const start = (desk: Ordered, more: { pat?: string; machine_id?: string } = {}) =>
  sidecars.start({ server_url: server.api.url, env_id: desk.workstation_id, pat: desk.pat, ...more })

/** Waits until the desk has reported at least once after it had joined. */
const heard = async (workspace: DeskWorkspace, id: string) =>
  waitFor(async () => {
    const { body } = await workspace.show(id)
    return body.onboarding_steps[1]?.done && body
  }, limitMs)

const reasons = (desk: { onboarding_steps: readonly { reason: string | null }[] }) =>
  desk.onboarding_steps.map(({ reason }) => reason)

test('DESK-40 DESK-G12 a sidecar registers and beats, and only a health check could make its desk ready', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  expect(reasons(desk)[0]).toBe('awaiting_callback')
  const sidecar = await start(desk)
  await sidecar.logged('registered')
  const shown = await heard(workspace, desk.workstation_id)
  expect(shown).toMatchObject({ status: 'provisioning', ready: false })
  expect(reasons(shown)).toEqual([null, null, 'awaiting_first_health_check', 'blocked_by:sidecar_up'])
  expect((await workspace.change(desk.workstation_id, {})).body.sidecar_url).toBe(sidecar.place.url)
  expect(await sidecar.stop()).toBe(0)
})

test('DESK-11 the join secret is in no file, log, argument or environment of the desk once it has registered', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  const sidecar = await start(desk)
  const { pid } = sidecar.child
  const seen = async () =>
    (await Promise.all(['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')))).join()
  expect(await seen()).not.toContain(desk.pat)
  await sidecar.logged('registered')
  const names = await readdir(sidecar.place.folder, { recursive: true })
  for (const name of names) {
    const path = join(sidecar.place.folder, name)
    if ((await stat(path)).isFile()) expect(await readFile(path, 'utf8')).not.toContain(desk.pat)
  }
  expect(names).not.toContain('join-secret')
  expect(sidecar.lines.join('\n')).not.toContain(desk.pat)
  for (const name of ['identity.pem', 'mesh.pem', 'desk.json'])
    expect((await stat(join(sidecar.place.state_dir, name))).mode & 0o777).toBe(0o600)
  expect((await stat(sidecar.place.state_dir)).mode & 0o777).toBe(0o700)
  await sidecar.stop()
})

test('one sidecar runs on a state directory, and the next one after kill -9 goes on as the same desk', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  const first = await start(desk)
  await first.logged('registered')
  const second = sidecars.run(first.place)
  expect(await second.ended).toBe(1)
  expect(second.lines.join('\n')).toContain('another sidecar runs')
  await first.kill()
  const third = sidecars.run(first.place)
  await third.logged('health is served')
  await heard(workspace, desk.workstation_id)
  expect(await third.stop()).toBe(0)
  expect(third.logs('registered')).toEqual([])
})

test('DESK-G10 a sidecar whose desk was released ends, leaves its files and does not come back', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  const sidecar = await start(desk)
  await sidecar.logged('registered')
  await heard(workspace, desk.workstation_id)
  await sidecar.stop()
  expect((await workspace.call('DELETE', `/workstations/${desk.workstation_id}`)).status).toBe(200)
  const files = await readdir(sidecar.place.state_dir)
  const again = sidecars.run(sidecar.place)
  expect(await again.ended).toBe(10)
  expect(await readdir(sidecar.place.state_dir)).toEqual(files)
  expect((await workspace.show(desk.workstation_id)).status).toBe(404)
})

test('a secret that another machine has used ends the sidecar, and the refusal stands in its log without the secret', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  const first = await start(desk)
  await first.logged('registered')
  const other = await start(desk)
  expect(await other.ended).toBe(1)
  expect(other.lines.join('\n')).toContain('Another machine has joined with this token')
  expect(other.lines.join('\n')).not.toContain(desk.pat)
  expect(await workspace.audited()).toContain('desk.join_refused')
  await first.stop()
})

test('check 19: a copy of a desk is quarantined with it, and a new secret gives one of them a new key', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  const sidecar = await start(desk)
  await sidecar.logged('registered')
  await heard(workspace, desk.workstation_id)
  const copy = await sidecars.place({ server_url: server.api.url, env_id: desk.workstation_id })
  await cp(sidecar.place.state_dir, copy.state_dir, { recursive: true })
  const other = sidecars.run(copy)
  // Says what both have logged if one of them goes on.
  await Promise.all([sidecar.logged('quarantined'), other.logged('quarantined')])
  expect([await other.ended, await sidecar.ended]).toEqual([11, 11])
  expect(await workspace.events()).toContain('desk.quarantined')
  expect((await workspace.audited()).filter((action) => action === 'desk.quarantined')).toHaveLength(1)
  expect(reasons((await workspace.show(desk.workstation_id)).body)[2]).toBe('misrouted')
  const held = sidecars.run(sidecar.place)
  expect(await held.ended).toBe(1)

  const keyFile = join(sidecar.place.state_dir, 'identity.pem')
  const before = await readFile(keyFile, 'utf8')
  const path = `/workstations/${desk.workstation_id}/regenerate-pat`
  const { pat } = (await workspace.call<{ pat: string }>('POST', path)).body
  await writeFile(sidecar.place.join_secret_file, pat)
  const again = sidecars.run(sidecar.place)
  await again.logged('registered')
  expect(reasons(await heard(workspace, desk.workstation_id))[2]).toBe('awaiting_first_health_check')
  expect(await readFile(keyFile, 'utf8')).not.toBe(before)
  await again.stop()
})

test('ENV-G11 a desk tells that the login of its runtime has expired', async () => {
  const workspace = await DeskWorkspace.open(server)
  const desk = await workspace.ordered()
  const place = await sidecars.place({
    server_url: server.api.url,
    env_id: desk.workstation_id,
    pat: desk.pat,
  })
  expect(await sidecars.run(place, ['login', 'expired']).ended).toBe(0)
  const sidecar = sidecars.run(place)
  await sidecar.logged('registered')
  const { body } = await waitFor(async () => {
    const logins = await workspace.logins()
    return logins.body.expired_count === 1 && logins
  }, limitMs)
  expect(body.expired).toEqual([
    { workstation_id: desk.workstation_id, name: desk.name, runtime: desk.runtime },
  ])
  await sidecar.stop()
})

test('a sidecar that cannot reach the service goes on trying, keeps its secret, and stops when it is told to', async () => {
  const workspace = await DeskWorkspace.open(server)
  const { workstation_id, pat } = await workspace.ordered()
  const server_url = `http://127.0.0.1:${await freePort()}`
  const sidecar = await sidecars.start({ server_url, env_id: workstation_id, pat })
  await waitFor(() => sidecar.logs('registering failed').length >= 2, limitMs)
  expect(await sidecar.stop()).toBe(0)
  expect(await readFile(sidecar.place.join_secret_file, 'utf8')).toBe(pat)
  expect(sidecar.lines.join('\n')).not.toContain(pat)
})

test('a build that runs is counted until it ends, however it ends, and its exit code is passed on', async () => {
  const workspace = await DeskWorkspace.open(server)
  const sidecar = await start(await workspace.ordered())
  const counted = async () => {
    const nonce = randomBytes(32).toString('base64url')
    const response = await fetch(`${sidecar.place.url}/v1/health?nonce=${nonce}`)
    return ((await response.json()) as { builds_running: number }).builds_running
  }
  expect(await counted()).toBe(0)
  const build = sidecars.run(sidecar.place, ['build', 'sleep', '600'])
  await waitFor(async () => (await counted()) === 1, limitMs)
  expect(await build.stop()).toBe(128 + 15)
  expect(await counted()).toBe(0)
  expect(await sidecars.run(sidecar.place, ['build', 'sh', '-c', 'exit 7']).ended).toBe(7)
  await sidecar.stop()
})

test('a build that is told to end while it reads its settings ends without a start of its command', async () => {
  const workspace = await DeskWorkspace.open(server)
  const { workstation_id, pat } = await workspace.ordered()
  const place = await sidecars.place({ server_url: server.api.url, env_id: workstation_id, pat })
  await mkdir(place.state_dir, { mode: 0o700 })
  // A pipe holds its reader until somebody writes to it.
  const pipe = join(place.state_dir, 'build-settings.json')
  await promisify(execFile)('mkfifo', [pipe])
  const trace = join(place.folder, 'started')
  const build = sidecars.run(place, ['build', 'touch', trace])
  const writer = await open(pipe, 'w')
  build.child.kill('SIGTERM')
  const settings: BuildSettings = {
    profile_key: null,
    profile_version: null,
    skipped: 'not_named',
    model: null,
    effort: null,
    fallback_model: null,
    env: {},
    limits: { max_turns: null, max_steps: null, wall_minutes: 1 },
  }
  await writer.writeFile(JSON.stringify(settings))
  await writer.close()
  expect(await build.ended).toBe(128 + 15)
  await expect(stat(trace)).rejects.toThrow('ENOENT')
})
