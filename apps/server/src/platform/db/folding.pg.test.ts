import { readFileSync } from 'node:fs'
import { foldName } from '@crewhall/contracts/folding.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'owner')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('K13: the database folds every letter it knows as the product does', async () => {
  const { rows } = await client.query<{ letter: string; folded: string }>(`
    select chr(n) as letter, platform.fold_name(chr(n)) as folded
    from generate_series(1, 130000) as n
    where (n < 55296 or n > 57343) and unicode_assigned(chr(n)) and (n < 13312 or n > 40959)`)
  expect(rows.length).toBeGreaterThan(20_000)
  expect(rows.filter(({ letter, folded }) => folded.trim() !== foldName(letter))).toEqual([])
})

test.for(['Yapıldı', 'ıİı', 'ΟΔΟΣ ΟΔΟΣ', 'ΑΣ', 'STRAẞE ﬁ', '', 'ı'])(
  'K13: the database folds the name %s as the product does',
  async (name) => {
    const { rows } = await client.query('select platform.fold_name($1) as folded', [name])
    expect(rows).toEqual([{ folded: foldName(name) }])
  },
)

test('K13: columns that were told apart by a sharp s are renamed, and all keys are new', async () => {
  const file = new URL('../../../migrations/0019_platform_folding.sql', import.meta.url)
  const [, rekeying = ''] = readFileSync(file, 'utf8').split(/(?=^select set_config)/m)
  await client.query(`select set_config('app.system', 'on', false)`)
  await client.query(`
    insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}');
    insert into boards.boards (brand_id, key, name, board_type) select id, 'CORE', 'B', 'kanban' from identity.brands;
    insert into boards.columns (brand_id, board_id, name, name_key, status, rank, created_at)
    select brand_id, id, old.name, name_key, 'pending', rank, timestamptz '2026-01-01' + place * interval '1 day'
    from boards.boards, (values (1, 'Straße', 'strasse', 'a0'), (2, 'STRAẞE', 'straße', 'a1'),
      (3, 'Yapıldı', 'yapildi', 'a2'), (4, 'Done', 'done', 'a3')) as old (place, name, name_key, rank)`)
  await client.query(`begin; ${rekeying}; commit`)
  const { rows } = await client.query<{ name: string; name_key: string }>(
    'select name, name_key from boards.columns order by rank',
  )
  expect(rows.map(({ name_key }) => name_key)).toEqual(rows.map(({ name }) => foldName(name)))
  expect(rows.map(({ name }) => name.replace(/[0-9a-f]{8}/, 'id'))).toEqual([
    'Straße',
    'STRAẞE (id)',
    'Yapıldı',
    'Done',
  ])
})
