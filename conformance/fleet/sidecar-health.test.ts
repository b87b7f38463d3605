import { createHash } from 'node:crypto'
import { appendFile, cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SidecarProcess, useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

const env = {
  DESK_NETWORKS: '127.0.0.0/8',
  DESK_CHECK_INTERVAL_MS: '500',
  DESK_CHECK_TIMEOUT_MS: '5000',
}
const server = useServer('product', env)
const sidecars = useSidecars()
let workspace: DeskWorkspace
beforeAll(async () => {
  workspace = await DeskWorkspace.open(server)
  await server.start('worker', env)
})

const patienceMs = 60_000
const limitMs = 240_000

async function joined(): Promise<{ id: string; sidecar: SidecarProcess }> {
  const { workstation_id: id, pat } = await workspace.ordered()
  const sidecar = await sidecars.start({ server_url: server.api.url, env_id: id, pat })
  await sidecar.logged('registered')
  return { id, sidecar }
}
const until = (id: string, status: string) =>
  waitFor(async () => {
    const { body } = await workspace.show(id)
    return body.status === status && body
  }, patienceMs)
const record = async (id: string) => (await workspace.change(id, {})).body
const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

test(
  'DESK-38 DESK-39 DESK-G15 DESK-G21 ENV-18 ENV-19 ENV-20 ENV-21 a desk is ready once its sidecar has answered a check, and shows its version and digest; another file is an upgrade',
  async () => {
    const { workstation_id: id, pat } = await workspace.ordered()
    expect(await record(id)).toMatchObject({ sidecar_version: null, sidecar_code_digest: null })
    const sidecar = await sidecars.start({ server_url: server.api.url, env_id: id, pat })
    const ready = await until(id, 'ready')
    expect(ready.ready).toBe(true)
    expect(ready.onboarding_steps.map(({ state, reason, hint }) => [state, reason, hint])).toEqual(
      ready.onboarding_steps.map(() => ['done', null, null]),
    )
    const { version } = JSON.parse(await readFile('apps/sidecar/package.json', 'utf8'))
    const first = await sha256(sidecars.file)
    expect(await record(id)).toMatchObject({
      status: 'active',
      sidecar_version: version,
      sidecar_code_digest: first,
      last_upgrade_at: null,
    })
    await sidecar.stop()
    const other = join(sidecar.place.folder, 'other.mjs')
    await cp(sidecars.file, other)
    await appendFile(other, '// Another build of the same version.\n')
    sidecars.run(sidecar.place, [], other)
    const digest = await sha256(other)
    const upgraded = await waitFor(async () => {
      const found = await record(id)
      return found.sidecar_code_digest === digest && found
    }, patienceMs)
    expect(upgraded).toMatchObject({ sidecar_version: version, last_upgrade_at: expect.any(String) })
  },
  limitMs,
)

test(
  'DESK-41 DESK-64 DESK-G13 DESK-G20 a desk whose sidecar is killed or frozen is unreachable, and ready again when it answers',
  async () => {
    const [killed, frozen] = [await joined(), await joined()]
    await Promise.all([until(killed.id, 'ready'), until(frozen.id, 'ready')])
    await killed.sidecar.kill()
    frozen.sidecar.child.kill('SIGSTOP')
    for (const { id } of [killed, frozen]) {
      const steps = (await until(id, 'unreachable')).onboarding_steps
      expect(steps.map(({ state, reason }) => [state, reason])).toEqual([
        ['done', null],
        ['done', null],
        ['failed', 'unreachable'],
        ['blocked', 'blocked_by:sidecar_up'],
      ])
      expect(steps.filter(({ hint }) => hint !== null)).toHaveLength(1)
    }
    frozen.sidecar.child.kill('SIGCONT')
    sidecars.run(killed.sidecar.place)
    await Promise.all([until(killed.id, 'ready'), until(frozen.id, 'ready')])
  },
  limitMs,
)

test(
  'DESK-42 ENV-08 a resumed desk is unreachable if its sidecar is gone, and ready when it answers',
  async () => {
    const { id, sidecar } = await joined()
    await until(id, 'ready')
    await workspace.change(id, { status: 'suspended' })
    await sidecar.kill()
    expect((await workspace.show(id)).body.status).toBe('suspended')
    await workspace.change(id, { status: 'provisioned' })
    await until(id, 'unreachable')
    sidecars.run(sidecar.place)
    await until(id, 'ready')
  },
  limitMs,
)

test(
  'DESK-63 DESK-G20 a desk where another one answers is misrouted, and its own sidecar makes it ready again',
  async () => {
    const [desk, other] = [await joined(), await joined()]
    await Promise.all([until(desk.id, 'ready'), until(other.id, 'ready')])
    await workspace.change(desk.id, { sidecar_url: other.sidecar.place.url })
    const stalled = await waitFor(async () => {
      const { body } = await workspace.show(desk.id)
      return body.onboarding_steps[2]?.reason === 'misrouted' && body
    }, patienceMs)
    expect(stalled.onboarding_steps[2]?.state).toBe('failed')
    expect((await workspace.show(other.id)).body.status).toBe('ready')
    await workspace.change(desk.id, { sidecar_url: desk.sidecar.place.url })
    await until(desk.id, 'ready')
  },
  limitMs,
)

test(
  'VER-03 two desks on one version that run different code are told apart by its digest',
  async () => {
    const [one, other] = [await joined(), await joined()]
    await other.sidecar.stop()
    const changed = join(other.sidecar.place.folder, 'changed.mjs')
    await cp(sidecars.file, changed)
    await appendFile(changed, '// Changed on this machine.\n')
    sidecars.run(other.sidecar.place, [], changed)
    const digests = [await sha256(sidecars.file), await sha256(changed)]
    await waitFor(async () => (await record(other.id)).sidecar_code_digest === digests[1], patienceMs)
    await until(one.id, 'ready')
    const records = [await record(one.id), await record(other.id)]
    expect(records.map(({ sidecar_code_digest }) => sidecar_code_digest)).toEqual(digests)
    expect(records[0]?.sidecar_version).toBe(records[1]?.sidecar_version)
  },
  limitMs,
)
