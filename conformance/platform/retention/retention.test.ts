import { listPartitions } from '@crewhall/testkit/partitions.ts'
import { newToken } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import type pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Board, BoardWorkspace } from '../../boards/board-workspace.ts'
import { Listener } from '../../boards/stream-calls.ts'

// The job of a real worker makes and drops months, while the clock of the database runs through two years.

const months = 24
const kept = 3
const day = 86_400_000
const noLimits = { HTTP_RATE_LIMIT_PER_MINUTE: '0', HTTP_RATE_LIMIT_PER_CREDENTIAL: '0' }
const server = useServer('product', {
  ...noLimits,
  RETENTION_ACTIVITY_MONTHS: String(kept),
  RETENTION_AUDIT_MONTHS: String(kept),
})

let client: pg.Client
let workspace: BoardWorkspace
let admin: string
let board: Board
beforeAll(async () => {
  client = await server.connection('owner')
  await client.query(`select set_config('app.system', 'on', false)`)
  workspace = await BoardWorkspace.open(server)
  await client.query(`update identity.brands set scope_ceiling = '{brand:admin}'`)
  admin = (await newToken((path, init) => server.get(path, init), workspace.owner, ['brand:admin'])).token
  board = await workspace.board()
  await client.query(`update identity.tokens set expires_at = now() + interval '20 years'`)
  await client.query(`update identity.sessions set expires_at = now() + interval '20 years'`)
})

interface Feed {
  items: { id: string; created_at: string }[]
  next_cursor: string
}

const activityPath = () => `/api/v1/board/activity/boards/${board.id}`
const auditPath = () => `/api/v1/brands/${workspace.owner.brand_id}/audit`

const statuses = new Map<number, number>()
async function call(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await server.get(path, { ...init, headers })
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  return response
}

const writers = [
  async (n: number) => {
    await (
      await call(`/api/v1/board/boards/${board.id}/tasks`, workspace.token, {
        method: 'POST',
        body: JSON.stringify({ title: `Card ${n}` }),
      })
    ).text()
  },
  async (n: number) => {
    await (
      await call(`/api/v1/brands/${workspace.owner.brand_id}/features/feed`, admin, {
        method: 'PUT',
        body: JSON.stringify({ on: n % 2 === 0 }),
      })
    ).text()
  },
]

/** Reads a list to its end, again and again, and notes every id. */
async function follow(path: string, token: string, start: string, isOver: () => boolean): Promise<string[]> {
  const seen: string[] = []
  let cursor = start
  for (let isLast = false; ; ) {
    const response = await call(`${path}?limit=20&since=${encodeURIComponent(cursor)}`, token)
    const { items, next_cursor } = (await response.json()) as Feed
    if (response.status !== 200) return [...seen, `answered ${response.status}`]
    const inOrder = path === activityPath() ? items.toReversed() : items
    seen.push(...inOrder.map(({ id }) => id))
    cursor = next_cursor
    if (items.length > 0) continue
    if (isLast) return seen
    isLast = isOver()
  }
}

const startOf = async (path: string, token: string): Promise<string> =>
  ((await (await call(path, token)).json()) as Feed).next_cursor

test('K12: 24 months are made and dropped under readers and writers, and nobody gets a 5xx', async () => {
  const worker = await server.start('worker')
  onTestFinished(() => worker.stop().then(() => {}))
  const clock = createVirtualClock(server.database.name)
  onTestFinished(() => clock.close())
  const [oldActivity, oldAudit] = [
    await startOf(activityPath(), workspace.token),
    await startOf(auditPath(), admin),
  ]
  let isOver = false
  const written = writers.map(async (write) => {
    for (let n = 0; !isOver; n += 1) await write(n)
  })
  let isWritten = false
  const followers = [
    follow(activityPath(), workspace.token, oldActivity, () => isWritten),
    follow(auditPath(), admin, oldAudit, () => isWritten),
  ]
  const tables = ['boards.activity', 'platform.audit_entries']
  const made = new Set<string>()
  const wrote = new Map<string, Set<string>>(tables.map((table) => [table, new Set()]))
  for (let month = 0; month < months; month += 1) {
    await clock.advance(31 * day)
    for (const table of tables)
      await waitFor(async () => {
        const names = await listPartitions(client, table)
        for (const name of names) made.add(name)
        const { rows } = await client.query<{ id: string; is_ready: boolean; newest: string }>(
          `select id::text, created_at >= date_trunc('month', platform.now()) as is_ready,
             to_char(date_trunc('month', platform.now() at time zone 'UTC') + interval '3 months', 'YYYYMMDD') as newest
           from ${table}`,
        )
        for (const { id } of rows) wrote.get(table)?.add(id)
        const isMade = names.at(-1)?.endsWith(rows[0]?.newest ?? 'never') ?? false
        return isMade && names.length <= kept + 4 && rows.filter(({ is_ready }) => is_ready).length > 3
      }, 120_000)
  }
  isOver = true
  await Promise.all(written)
  isWritten = true
  const seen = await Promise.all(followers)
  console.log(
    `answers by status: ${JSON.stringify(Object.fromEntries(statuses))}; ${made.size} partitions made`,
  )
  expect([...statuses.keys()].filter((status) => status >= 400)).toEqual([])
  expect(made.size).toBeGreaterThanOrEqual(2 * (months + 3))
  // Whoever kept up has missed nothing and heard nothing twice, also across months that are gone by now.
  for (const [at, ids] of seen.entries()) {
    expect(new Set(ids).size).toBe(ids.length)
    const missed = [...(wrote.get(tables[at] ?? '') ?? [])].filter((id) => !ids.includes(id))
    expect(missed.length).toBeLessThanOrEqual(5)
    expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((a, b) => a - b))
  }

  const gone = { detail: 'Entries after this cursor have been deleted; start without a cursor' }
  for (const [path, token, since] of [
    [activityPath(), workspace.token, oldActivity],
    [auditPath(), admin, oldAudit],
  ] as const) {
    const response = await call(`${path}?since=${encodeURIComponent(since)}`, token)
    expect([response.status, await response.json()]).toEqual([410, gone])
    expect((await call(path, token)).status).toBe(200)
  }
  const query = `board_ids=${board.id}&since=${encodeURIComponent(oldActivity)}`
  const listener = await Listener.open(server.api.url, query, { headers: bearer(workspace.token) })
  onTestFinished(() => listener.close())
  await listener.ready()
  expect(listener.told.map(({ event, data }) => [event, data.reason ?? data.resumed])).toEqual([
    ['reset', 'expired_cursor'],
    ['ready', false],
  ])
}, 400_000)
