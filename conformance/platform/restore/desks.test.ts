import { randomBytes } from 'node:crypto'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Get } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { beat, join } from '../../fleet/desk-agent.ts'
import { DeskWorkspace } from '../../fleet/desk-workspace.ts'
import { RestoredServer } from './restored-server.ts'

const newKey = () => randomBytes(32).toString('base64url')
const env = {
  DESK_NETWORKS: '127.0.0.0/8',
  MESH_PREFIX: 'fd12:3456:789a::/48',
  MESH_HUB_ENDPOINT: 'hub.example.com:51820',
  MESH_HUB_PUBLIC_KEY: newKey(),
}
const server = useServer('product', env)
const restored = new RestoredServer(server)

test('a desk whose key was replaced since leaves the network with a restore, and joins again', async () => {
  const at = await DeskWorkspace.open(server)
  const { workstation_id: id, pat } = await at.ordered()
  const [stolen, wg_pub] = [new DeskCaller(id, pat), newKey()]
  expect((await join(server.get, stolen, { wg_pub })).status).toBe(200)
  const to = await restored.now()
  const row = (await server.sql<{ row: string }>('select to_json(k)::text as row from fleet.desk_keys k'))[0]
    ?.row
  const replaced = await at.call<{ pat: string }>('POST', `/workstations/${id}/regenerate-pat`)
  expect((await join(server.get, new DeskCaller(id, replaced.body.pat), { wg_pub: newKey() })).status).toBe(
    200,
  )
  const worker = await server.start('worker')
  const noted = async () => (await server.sql('select from platform.revocations')).length
  await waitFor(async () => (await noted()) === 0, 30_000)
  await worker.stop()
  await server.api.stop()

  await server.sql(
    `update fleet.desk_keys k set public_key = o.public_key, fingerprint = o.fingerprint, wg_key = o.wg_key
     from json_populate_record(null::fleet.desk_keys, $1::json) o where k.desk_id = o.desk_id`,
    [row],
  )
  await server.sql('update fleet.mesh_peers set wg_key = $2 where desk_id = $1', [id, wg_pub])
  await restored.forget(to)
  const { output } = await restored.restore(to, ['--without-amcheck'])
  expect(output).toContain(', 1 keys of desks\n')
  expect(await server.sql('select from fleet.mesh_peers')).toEqual([])
  expect((await server.sql<{ peers: number }>('select peers from fleet.mesh_cells'))[0]?.peers).toBe(0)

  const api = await server.start('api', env)
  const get: Get = (path, init) => fetch(`${api.url}${path}`, init)
  expect((await beat(get, stolen)).status).toBe(410)
  const again = new DeskWorkspace({ sql: server.sql, get }, at)
  const ordered = await again.call<{ pat: string }>('POST', `/workstations/${id}/regenerate-pat`)
  const desk = new DeskCaller(id, ordered.body.pat)
  expect((await join(get, desk, { wg_pub: newKey() })).status).toBe(200)
  expect((await beat(get, desk)).status).toBe(200)
  expect((await beat(get, stolen)).status).toBe(401)
  await api.stop()
}, 120_000)
