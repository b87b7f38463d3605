import { catalogueFaults, tenantTables } from '@crewhall/testkit/catalogue/catalogue.ts'
import {
  definerFunctions,
  definerViews,
  foreignKeys,
  globalTables,
  librarySchemas,
  uniqueIndexes,
} from '@crewhall/testkit/catalogue/catalogue-reviewed.ts'
import { tenancyFaults } from '@crewhall/testkit/catalogue/catalogue-tenancy.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillTwoBrands } from './two-brands.ts'

let database: TestDatabase
let client: pg.Client
let role: string
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'application')
  role = decodeURIComponent(new URL(database.url).username)
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('nothing in the catalogue could let one workspace see another', async () => {
  expect(await catalogueFaults(client, role)).toEqual([])
})

test('the tables that row security guards are found', async () => {
  const tables = await tenantTables(client)
  expect(tables).toEqual(
    expect.arrayContaining(['identity.brands', 'identity.memberships', 'identity.tokens']),
  )
})

test('every exception on the reviewed lists is still there, with a reason', async () => {
  const { rows } = await client.query<{ name: string }>(`
    select schemaname || '.' || tablename as name from pg_tables
    union select schemaname || '.' || tablename || '.' || indexname from pg_indexes
    union select schemaname || '.' || viewname from pg_views
    union select conrelid::regclass || '.' || conname from pg_constraint where contype = 'f'
    union select pronamespace::regnamespace || '.' || proname from pg_proc
    union select nspname from pg_namespace`)
  const present = rows.map(({ name }) => name)
  for (const list of [
    globalTables,
    librarySchemas,
    uniqueIndexes,
    foreignKeys,
    definerFunctions,
    definerViews,
  ]) {
    expect(present).toEqual(expect.arrayContaining(Object.keys(list)))
    for (const reason of Object.values(list)) expect(reason.length).toBeGreaterThan(10)
  }
})

test('a connection sees and writes the rows of the brand it has entered, and none before and after', async () => {
  const { one, other } = await fillTwoBrands(database)
  expect(await tenancyFaults(client, one, other)).toEqual([])
})
