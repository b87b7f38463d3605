import type pg from 'pg'
import { tenantTables } from './catalogue.ts'

/**
 * What a connection of the application can see and write, tried on every tenant table. The database has to
 * hold rows of both brands in each. The catalogue shows how tenancy is set up; this shows that it holds,
 * also on a connection that has served another workspace before.
 */
export async function tenancyFaults(client: pg.Client, one: number, other: number): Promise<string[]> {
  const faults: string[] = []
  for (const table of await tenantTables(client)) {
    const column = table === 'identity.brands' ? 'id' : 'brand_id'
    const seen = async () =>
      (
        await client.query<{ brand: number }>(`select distinct ${column} as brand from ${table} order by 1`)
      ).rows
        .map(({ brand }) => brand)
        .join()
    const expectSeen = async (expected: string, when: string) => {
      const found = await seen()
      if (found !== expected) faults.push(`${table} shows brands [${found}] ${when}, not [${expected}]`)
    }
    await expectSeen('', 'before any brand is entered')
    for (const brand of [one, other]) {
      await client.query('begin')
      await client.query('select platform.enter_brand($1, null, null, null, null)', [brand])
      await expectSeen(String(brand), 'inside a brand')
      await client.query('commit')
      await expectSeen('', 'after the brand was left')
    }
    for (const [what, sql] of writes(table, column)) {
      await client.query('begin')
      await client.query('select platform.enter_brand($1, null, null, null, null)', [one])
      const answer = await client.query(sql, [one, other]).then(() => 'done', codeOf)
      await client.query('rollback')
      if (!refused.has(answer)) faults.push(`${table}: a row was ${what} another brand (${answer})`)
    }
    // Leaves nothing behind for the next table when a policy is broken.
    await client.query('discard all')
  }
  return faults
}

/** Row security refuses before any constraint is looked at. Identity columns refuse updates by themselves. */
const refused = new Set(['42501', '428C9'])

const writes = (table: string, column: string) =>
  [
    ['moved to', `update ${table} set ${column} = $2 where ${column} = $1`],
    [
      'added to',
      `insert into ${table} overriding system value
       select (jsonb_populate_record(r, jsonb_build_object('${column}', $2::int))).* from ${table} r where ${column} = $1`,
    ],
  ] as const

const codeOf = (error: unknown): string => String((error as { code?: string }).code)
