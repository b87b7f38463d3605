import { json } from '@crewhall/testkit/people.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Admin, featureVerbs, keys } from '../features/feature-verbs.ts'
import { auditVerbs, type Entry } from './audit-verbs.ts'

const server = useServer('probe')
const at = new World(server)
const { newAdmin, join } = featureVerbs(at)
const { page } = auditVerbs(at)
let processes: readonly ServerProcess[]
beforeAll(async () => {
  processes = [server.api, await server.start('api')]
})

const writers = 8
const changesEach = 50
const changes = writers * changesEach

/** Eight writers, half of them through another process; two at a time set the same switch. */
async function write(admins: readonly Admin[], path: (admin: Admin, key: string) => string): Promise<void> {
  await Promise.all(
    admins.map(async (admin, writer) => {
      const key = keys[writer % keys.length] ?? 'feed'
      const base = processes[writer < writers / 2 ? 0 : 1]?.url
      for (let n = 0; n < changesEach; n += 1) {
        const init = {
          ...json({ on: n % 2 === 0 }, { authorization: `Bearer ${admin.token}` }),
          method: 'PUT',
        }
        const response = await fetch(`${base}${path(admin, key)}`, init)
        if (response.status !== 200) throw new Error(`a change was answered ${response.status}`)
        await response.text()
      }
    }),
  )
}

async function newAdmins(): Promise<readonly [Admin, ...Admin[]]> {
  const first = await newAdmin('business')
  const others = Array.from({ length: writers - 1 }, () => join(first.brand_id))
  return [first, ...(await Promise.all(others))]
}

/** Reads on and on, as long as there are writers and until nothing comes any more. */
async function readWhile<T>(writing: Promise<void>, next: () => Promise<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  let isOver = false
  const end = writing.finally(() => {
    isOver = true
  })
  end.catch(() => {})
  for (;;) {
    const wasOver = isOver
    const items = await next()
    found.push(...items)
    if (wasOver && items.length === 0) break
  }
  await end
  return found
}

test('a reader that resumes with limit 7 sees every entry once and in order, while eight writers write', async () => {
  const admins = await newAdmins()
  const [reader] = admins
  let since: { since?: string } = {}
  const found = await readWhile<Entry>(
    write(admins, ({ brand_id }, key) => `/api/v1/brands/${brand_id}/features/${key}`),
    async () => {
      const { items, next_cursor } = await page(reader, { limit: 7, ...since })
      since = { since: next_cursor }
      return items
    },
  )
  const kept = await at.sql<{ id: string }>(
    'select id::text from platform.audit_entries where brand_id = $1 order by platform.audit_entries.id',
    [reader.brand_id],
  )
  expect(kept).toHaveLength(changes)
  expect(found.map(({ id }) => id)).toEqual(kept.map(({ id }) => id))
  expect(new Set(found.map(({ request_id }) => request_id)).size).toBe(changes)
  const times = found.map(({ created_at }) => created_at)
  expect(times).toEqual([...times].sort())
  // Each change starts from what the one before has left, and the last is what stands.
  for (const key of keys) {
    const own = found.filter(({ target }) => target === `feature:${key}`)
    expect(own.map(({ from }) => from)).toEqual([null, ...own.slice(0, -1).map(({ to }) => to)])
    const [row] = await at.sql(
      'select is_on, changed_by from workspaces.feature_switches where brand_id = $1 and key = $2',
      [reader.brand_id, key],
    )
    expect(row).toEqual({ is_on: own.at(-1)?.to, changed_by: own.at(-1)?.actor.user_id })
  }
})

/** How many entries a reader of the twin has missed. */
async function missedByTwin(): Promise<number> {
  const admins = await newAdmins()
  const [{ token, brand_id }] = admins
  const entries = `/api/v1/probe/naive/brands/${brand_id}/entries`
  let after = 0
  const found = await readWhile<number>(
    write(admins, (_, key) => `${entries}/${key}`),
    async () => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await server.get(`${entries}?after=${after}&limit=7`, { headers })
      const { ids } = (await response.json()) as { ids: number[] }
      after = ids.at(-1) ?? after
      return ids
    },
  )
  const kept = await at.sql('select id from probe.naive_entries where brand_id = $1', [brand_id])
  expect(kept).toHaveLength(changes)
  return changes - found.length
}

test('a twin whose ids are taken without a lock loses entries', async () => {
  // A busy machine may let writers commit in order once.
  let missed = 0
  for (let tries = 0; tries < 10 && missed === 0; tries += 1) missed = await missedByTwin()
  expect(missed).toBeGreaterThan(0)
})
