import { createStorage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { redisText } from '@crewhall/testkit/canary.ts'
import type { TestDatabase } from '@crewhall/testkit/databases.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import type pg from 'pg'

/** All that an installation keeps, by the place where it is kept, in lower case. */
export type Everything = ReadonlyMap<string, string>

/** Every table that the catalogue of Postgres knows, so that one that is added later is looked at as well. */
export async function everything(database: TestDatabase, admin: pg.Client): Promise<Everything> {
  const kept = new Map<string, string>()
  for (const table of await tablesOf(admin)) {
    const { rows } = await admin.query<{ row: string }>(`select t::text as row from ${table} t`)
    kept.set(
      table,
      rows
        .map(({ row }) => row)
        .join('\n')
        .toLowerCase(),
    )
  }
  const storage = createStorage({
    ...readServiceFacts().s3,
    prefix: `${database.name}/`,
    timeout_ms: 10_000,
  })
  for (const { key } of await storage.list(outside, '')) {
    const found = await storage.find(outside, key)
    kept.set(
      `object ${key}`,
      Buffer.from(found?.bytes ?? [])
        .toString('latin1')
        .toLowerCase(),
    )
  }
  storage.close()
  kept.set('redis', (await redisText(`${database.name}:`)).toLowerCase())
  return kept
}

async function tablesOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_toast'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Where a word stands. */
export const placesOf = (kept: Everything, word: string): string[] =>
  [...kept].filter(([place, text]) => `${place} ${text}`.includes(word.toLowerCase())).map(([place]) => place)

/** What is kept of one workspace, table by table; partitions are seen through their parents as well. */
export async function rowsOfBrand(admin: pg.Client, brand_id: number): Promise<Record<string, string[]>> {
  const { rows: tables } = await admin.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'brand_id' and not a.attisdropped
     where c.relkind = 'r' order by 1`,
  )
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await admin.query<{ row: string }>(
      `select t::text as row from ${name} t where brand_id = $1 order by 1`,
      [brand_id],
    )
    if (rows.length > 0) found[name] = rows.map(({ row }) => row)
  }
  return found
}
