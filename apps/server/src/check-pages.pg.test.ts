import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkPages } from './check-pages.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'superuser')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('without the extension nothing is checked', async () => {
  expect(await checkPages(client)).toBeUndefined()
})

test('all faults are told: of tables, of long values beside them and of the indexes of those', async () => {
  await client.query('create extension amcheck')
  for (const name of ['lost', 'torn', 'astray', 'sound']) {
    await client.query(`create table public.${name} (id int primary key, words text)`)
    // Long values that are not compressed lie beside the table.
    await client.query(`alter table public.${name} alter column words set storage external`)
    await client.query(`insert into public.${name} values (1, repeat('word', 5000))`)
  }
  await client.query('analyze public.lost, public.torn, public.astray, public.sound')
  const before = await checkPages(client)
  expect(before?.faults).toEqual([])
  expect(before?.tables).toBeGreaterThan(200)

  await client.query('set allow_system_table_mods = on')
  const toast = (name: string) =>
    `(select reltoastrelid from pg_class where oid = 'public.${name}'::regclass)`
  // Files that are gone, of a table and of the index of long values; and long values of another table.
  const goneFile = (oid: string) =>
    `update pg_class set relfilenode = 4000000000 + oid::int8 % 1000 where oid = ${oid}`
  await client.query(goneFile(`'public.lost'::regclass`))
  await client.query(goneFile(`(select indexrelid from pg_index where indrelid = ${toast('torn')})`))
  await client.query(
    `update pg_class set reltoastrelid = ${toast('sound')} where oid = 'public.astray'::regclass`,
  )
  const found = await checkPages(client)
  const told = found?.faults.join('\n') ?? ''
  expect(told).toMatch(/^lost: could not open file/m)
  expect(told).toMatch(/^pg_toast\.pg_toast_\d+_index: /m)
  expect(told).toMatch(/^astray: toast/m)
  expect(told).not.toMatch(/^sound/m)
})
