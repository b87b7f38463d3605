import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { getBuildSettings } from '@crewhall/contracts/fleet/desk-builds.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { asDesk, join as joinDesk } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8' })
const sidecars = useSidecars()
const limitMs = 30_000

test('PROF-72: a build on a desk starts with the settings of its profile, and with the changed ones once they are', async () => {
  const at = await DeskWorkspace.open(server)
  const { workstation_id: id, pat } = await at.ordered()
  const profile = { key: 'openhands.hard', coder: 'openhands', limit_minutes: 60, interval_s: 1 }
  const sidecar = await sidecars.start({ server_url: server.api.url, env_id: id, pat, settings: { profile } })
  await sidecar.logged('settings of builds have changed')
  const file = join(sidecar.place.state_dir, 'build-settings.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const kept = async () => JSON.parse(await readFile(file, 'utf8'))
  const before = await kept()
  const token = await at.world.newToken(await at.world.join(at.brand_id, 'admin'))
  const desk = { coder: 'openhands', limit_minutes: 60 }
  const sent = { agent_context: { profile: profile.key }, desk }
  const preview = async () => (await at.call('POST', '/factory/build-settings', sent, { token })).body
  expect(before).toEqual(await preview())
  expect(Object.keys(before.env).length).toBeGreaterThan(0)
  // As the command sees it.
  const print = 'console.log(JSON.stringify([process.env, require(process.env.CREWHALL_BUILD_SETTINGS)]))'
  const build = sidecars.run(sidecar.place, ['build', process.execPath, '-e', print])
  expect(await build.ended).toBe(0)
  const [env, settings] = JSON.parse(build.lines.join(''))
  expect(env).toMatchObject(before.env)
  expect(settings).toEqual(before)

  const path = '/factory/coder-profiles/openhands.hard/override'
  expect((await at.call('PUT', path, { limit_value: 7 }, { token })).status).toBe(200)
  await waitFor(async () => (await kept()).profile_version !== before.profile_version, limitMs)
  expect(await kept()).toEqual(await preview())
  expect(await sidecar.stop()).toBe(0)
})

test('PROF-71: settings are given to the desk alone, and a profile that does not apply fails nothing', async () => {
  const at = await DeskWorkspace.open(server)
  const { workstation_id: id, pat } = await at.ordered()
  const desk = new DeskCaller(id, pat)
  await joinDesk(server.get, desk)
  const ask = (profile: unknown, caller = desk) =>
    asDesk(server.get, caller, getBuildSettings, { agent_context: { profile }, desk: { coder: 'codex' } })
  expect((await ask('codex.coding')).body).toMatchObject({ profile_key: 'codex.coding', skipped: null })
  expect((await ask('claude.hard')).body).toMatchObject({ profile_key: null, skipped: 'other_coder' })
  expect((await ask('codex.coding', new DeskCaller(id, pat))).status).toBe(401)
  const token = await at.world.newToken(at)
  const sent = { desk: { coder: 'codex' } }
  expect((await at.call('POST', '/desk-agent/build-settings', sent, { token })).status).toBe(401)
})
