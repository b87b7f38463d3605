import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queryable } from '#platform/db/database.ts'
import { type AuditPage, type AuditRow, listAuditEntries } from './audit-list.ts'

interface Plan {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Parent Relationship'?: string
  readonly Plans?: readonly Plan[]
}

let database: TestDatabase
let client: pg.Client
let brand: number
let middleAt: string
const entries = 20_000

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'application')
  await client.query(`select set_config('app.system', 'on', false)`)
  const { rows } = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}'), ('B', 'free', '{}')
     returning id`,
  )
  brand = rows[0]?.id ?? 0
  // Person 1 does nearly everything; person 2 and the second action are rare.
  await client.query(
    `insert into platform.audit_entries (brand_id, action, target, actor_kind, actor_person_id)
     select b.id, case when n % 1000 = 7 then 'thing.rare' else 'thing.changed' end, 'thing:1', 'person',
       case when n % 500 = 7 then 2 else 1 end
     from identity.brands b, generate_series(1, $1::int) n order by n`,
    [entries],
  )
  await client.query(
    `insert into platform.audit_marks (brand_id, first_at, last_at)
     select brand_id, min(created_at), max(created_at) from platform.audit_entries group by 1`,
  )
  const middle = await client.query<{ at: string }>(
    'select created_at::text as at from platform.audit_entries where brand_id = $1 order by created_at offset $2 limit 1',
    [brand, entries / 2],
  )
  middleAt = middle.rows[0]?.at ?? ''
  const owner = await connect(database, 'owner')
  await owner.query('analyze platform.audit_entries')
  await owner.end()
  await client.query(`select set_config('app.system', '', false), set_config('app.brand_id', $1, false)`, [
    String(brand),
  ])
  // Statements of the product have names, so Postgres may plan them without looking at the values.
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** What the statement of that page reads, as Postgres carries it out under row-level security. */
async function planOf(page: Omit<AuditPage, 'brand_id'>): Promise<Plan[]> {
  let found: Plan | undefined
  const explaining: Pick<Queryable, 'all'> = {
    async all(statement, params) {
      const literals = statement.bind(params).map((value) => client.escapeLiteral(String(value)))
      await client.query(`prepare ${statement.name} as ${statement.sql}`)
      const { rows } = await client.query(
        `explain (analyze, format json) execute ${statement.name} (${literals.join(', ')})`,
      )
      await client.query(`deallocate ${statement.name}`)
      found = rows[0]['QUERY PLAN'][0].Plan
      return []
    },
  }
  await listAuditEntries(explaining as Queryable, { brand_id: brand, ...page })
  const flat = (plan: Plan): Plan[] =>
    plan['Parent Relationship'] === 'InitPlan' ? [] : [plan, ...(plan.Plans ?? []).flatMap(flat)]
  return found
    ? flat(found).filter((each) => each['Actual Loops'] > 0 && each['Parent Relationship'] !== 'InitPlan')
    : []
}

test.each<[string, RegExp, Partial<AuditPage>]>([
  ['without filters', /_pkey$/, {}],
  ['of a person', /_brand_id_actor_person_id_created_at/, { actor: 2 }],
  ['of an action', /_brand_id_action_created_at/, { action: 'thing.rare' }],
  ['of a person and an action', /_brand_id_actor_person_id_action/, { actor: 1, action: 'thing.rare' }],
])('a page in the middle %s reads its rows from %s and no others', async (_, index, filters) => {
  for (const newest_first of [false, true]) {
    const plans = await planOf({ after_at: middleAt, after_id: '0', limit: 10, newest_first, ...filters })
    expect(plans.map((plan) => plan['Node Type'])).toEqual(['Limit', 'Append', 'Index Scan'])
    // Partitions name their indexes after columns.
    expect(plans[2]?.['Index Name']).toMatch(index)
    expect(plans[2]?.['Actual Rows']).toBeLessThanOrEqual(10)
    expect(plans[2]?.['Rows Removed by Filter'] ?? 0).toBe(0)
  }
})

test('a page behind the last entry reads nothing', async () => {
  const plans = await planOf({ after_at: 'infinity', after_id: '0', limit: 10 })
  expect(plans.map((plan) => [plan['Actual Rows'], plan['Rows Removed by Filter'] ?? 0])).toEqual(
    plans.map(() => [0, 0]),
  )
})

test('a page of another brand is empty under row-level security', async () => {
  const rows: AuditRow[] = []
  const running: Pick<Queryable, 'all'> = {
    async all(statement, params) {
      const result = await client.query(statement.sql, statement.bind(params))
      rows.push(...result.rows)
      return []
    },
  }
  await listAuditEntries(running as Queryable, {
    brand_id: brand + 1,
    after_at: '-infinity',
    after_id: '0',
    limit: 10,
  })
  expect(rows).toEqual([])
  await listAuditEntries(running as Queryable, {
    brand_id: brand,
    after_at: '-infinity',
    after_id: '0',
    limit: 10,
  })
  expect(rows).toHaveLength(10)
})
