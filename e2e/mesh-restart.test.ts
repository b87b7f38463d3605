import { run } from '@crewhall/services/commands.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { startFairTime } from '@crewhall/testkit/fair-time.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Member, MeshBed } from './mesh-bed.ts'
import { type SidecarDesk, useMeshSidecars } from './mesh-sidecars.ts'

const bed = new MeshBed()
const sidecars = useMeshSidecars(bed)
const dummies = scaled(10_000, 1000)
/** Half of what desks are checked at, so that an outage of 15 s may be missed twice as often. */
const intervalMs = 15_000
const backMs = 15_000
let member: Member
let desks: SidecarDesk[]
beforeAll(async () => {
  await bed.startHub()
  await bed.startWorker(intervalMs)
  member = await bed.newMember()
  desks = [await sidecars.newDesk(member), await sidecars.newDesk(member)]
  for (const desk of desks) sidecars.run(desk.place)
  for (const desk of desks) await desk.isReady()
})

const waiting = async () => {
  const [row] = await bed.server.sql<{ count: number }>(
    'select count(*)::int as count from fleet.mesh_deltas where applied_at is null',
  )
  return row?.count
}

interface PeerRow {
  readonly id: string
  readonly wg_key: string
  readonly sidecar_url: string
}
const rowsOf = async () => {
  const rows = await bed.server.sql<PeerRow>(
    `select d.id, p.wg_key, d.sidecar_url from fleet.desks d
     join fleet.mesh_peers p on p.brand_id = d.brand_id and p.desk_id = d.id`,
  )
  return desks.flatMap(({ id }) => rows.find((row) => row.id === id) ?? [])
}

/** As the poller asks, from where it does. */
const isHealthy = async ({ sidecar_url }: PeerRow) => {
  const url = `${sidecar_url}/v1/health?nonce=${'n'.repeat(43)}`
  const { code } = await bed.network.attempt('curl', '--silent', '--fail', '--max-time', '2', url)
  return code === 0
}

async function savedEndpoints(): Promise<string> {
  const { redis } = readServiceFacts()
  return run('redis-cli', ['-u', redis.url, 'get', `${bed.server.database.name}:mesh-endpoints:0`])
}

test(`check 14: a hub that lost its machine is back with ${dummies} peers: two desks answer within 15 s, and nobody was unreachable`, async () => {
  // Rows of a workspace are closed to the owner of the tables as well.
  const superuser = await bed.server.connection('superuser')
  await superuser.query(
    `insert into fleet.mesh_peers (brand_id, desk_id, wg_key, address)
     select $1, gen_random_uuid(),
       rtrim(translate(encode(sha256(n::text::bytea), 'base64'), '+/', '-_'), '='),
       set_masklen('fd63:7265:7768::'::inet + n, 128)
     from generate_series(1000, 999 + $2::int) n`,
    [member.brand_id, dummies],
  )
  await waitFor(async () => (await waiting()) === 0, 60_000)
  const rows = await rowsOf()
  expect(rows).toHaveLength(desks.length)
  // The next save of where desks are comes by itself.
  await waitFor(async () => {
    const saved = await savedEndpoints()
    return rows.every(({ wg_key }) => saved.includes(wg_key))
  }, 40_000)

  const elapsed = startFairTime()
  await bed.loseHub()
  await bed.startHub()
  for (const row of rows) await waitFor(() => isHealthy(row), backMs)
  const tookMs = Math.round(elapsed())
  console.log(`good polls ${tookMs} ms after the hub was lost, with ${(await bed.peers()).length} peers`)
  expect(tookMs).toBeLessThan(backMs)
  expect((await bed.peers()).length).toBe(dummies + desks.length)
  // Until the worker has asked each of them again.
  await waitFor(async () => {
    const [row] = await bed.server.sql<{ misses: number }>(
      'select coalesce(max(misses), 0)::int as misses from fleet.desks',
    )
    return row?.misses === 0
  }, 2 * intervalMs)
  expect(await Promise.all(desks.map(async (desk) => (await desk.show()).status))).toEqual(['ready', 'ready'])
  expect(await bed.server.sql(`select desk_id from fleet.health_events where state = 'unreachable'`)).toEqual(
    [],
  )
})
