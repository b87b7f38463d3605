import { createLog } from '@crewhall/server/platform/log/log.ts'
import { DueTimes } from '@crewhall/server/platform/redis/due-times.ts'
import { createRedis } from '@crewhall/server/platform/redis/redis.ts'
import { startProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { withServiceEnv } from '../../tools/dev/service-env.ts'
import { type CheckLine, ms, percentile } from '../memory/check-line.ts'
import { DesksHost } from './desks-host.ts'

const brands = 1000
const reads = 100

/** Check 22: what costs more with a million desks. */
export async function* checkMillion(desks: number): AsyncGenerator<CheckLine> {
  yield* checkRows(desks)
  yield* checkLease(desks)
}

async function* checkRows(desks: number): AsyncGenerator<CheckLine> {
  const host = await DesksHost.open(brands)
  try {
    await host.admin.query(
      `insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path, last_seen_at)
       select b.id, gen_random_uuid(), lpad(to_hex(n), 8, '0'), 'Desk ' || n, 'codex', '/srv',
         platform.now() - n * interval '1 hour'
       from identity.brands b, generate_series(1, $1) n where b.id = any($2)`,
      [Math.ceil(desks / brands), host.brand_ids],
    )
    await host.admin.query('vacuum analyze fleet.desks')
    const times: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const begun = performance.now()
      await host.count(
        `state <> 'suspended'
           and greatest(created_at, last_seen_at, resumed_at) < platform.now() - interval '14 days'`,
      )
      times.push(performance.now() - begun)
    }
    const sweep = percentile(times, 0.5)
    yield {
      check: '22',
      what: `dormant desks of all workspaces, ${desks} rows`,
      measured: `${ms(sweep)} ms`,
      bar: '2 s',
      is_met: sweep <= 2000,
    }
    yield await checkList(host)
  } finally {
    await host.close()
  }
}

async function checkList(host: DesksHost): Promise<CheckLine> {
  const api = await startProcess({
    entry: 'apps/server/src/api.ts',
    database_url: host.database.url,
    env: { HTTP_CHECK_ANSWERS: 'false' },
  })
  try {
    const sql = async (text: string, values?: readonly unknown[]) =>
      (await host.admin.query(text, [...(values ?? [])])).rows
    const world = new World({
      get: (path, init) => fetch(`${api.url}${path}`, init),
      sql: sql as World['sql'],
    })
    const brand = host.brand_ids[0] ?? 0
    await host.admin.query(
      `insert into identity.plans (key, name, features, desk_cap, source_cap) values ('bench', 'bench', '{machines}', 1, 1);
       update identity.brands set plan_key = 'bench'`,
    )
    const { person_id } = await world.join(brand, 'member')
    const cookie = await world.newCookie(person_id, brand)
    const times: number[] = []
    for (let n = -5; n < reads; n += 1) {
      const begun = performance.now()
      const response = await fetch(`${api.url}/api/v1/workstations?limit=100`, { headers: { cookie } })
      const { items, dormant } = (await response.json()) as { items: unknown[]; dormant: unknown[] }
      if (items.length + dormant.length !== 100) throw new Error(`the list has ${items.length} desks`)
      if (n >= 0) times.push(performance.now() - begun)
    }
    const p99 = percentile(times, 0.99)
    return {
      check: '22',
      what: 'list of 100 desks over HTTP, p50 / p99',
      measured: `${ms(percentile(times, 0.5))} / ${ms(p99)} ms`,
      bar: 'p99 50 ms',
      is_met: p99 <= 50,
    }
  } finally {
    await api.stop()
  }
}

async function* checkLease(desks: number): AsyncGenerator<CheckLine> {
  const { REDIS_URL = '' } = withServiceEnv(process.env)
  const log = createLog({ level: 'silent', process_name: 'bench' })
  const redis = createRedis(
    { url: REDIS_URL, prefix: `bench-desks-${process.pid}:`, command_timeout_ms: 30_000 },
    log,
  )
  try {
    await waitFor(() => redis.status === 'ready', 20_000)
    const due = new DueTimes(redis, 'desk-checks:0')
    const now = new Date()
    for (let from = 0; from < desks; from += 10_000) {
      const members = Array.from({ length: Math.min(10_000, desks - from) }, (_, n) => `1:${from + n}`)
      await due.fill(members, now, 30_000)
    }
    await due.markFilled()
    const times: number[] = []
    for (let n = 0; n < 50; n += 1) {
      const begun = performance.now()
      const taken = await due.take(new Date(now.getTime() + 30_000), 1000, 30_000)
      if (taken?.length !== Math.min(1000, desks)) throw new Error(`took ${taken?.length}`)
      times.push(performance.now() - begun)
    }
    const p99 = percentile(times, 0.99)
    yield {
      check: '22',
      what: `lease of 1,000 out of ${desks}, p50 / p99`,
      measured: `${ms(percentile(times, 0.5))} / ${ms(p99)} ms`,
      bar: 'p99 50 ms',
      is_met: p99 <= 50,
    }
    await redis.unlink('due:desk-checks:0')
  } finally {
    redis.disconnect()
  }
}
