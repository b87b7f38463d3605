import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { breakingChanges } from '@crewhall/testkit/upgrades/breaking-changes.ts'
import { readSchemaFacts, type SchemaFacts } from '@crewhall/testkit/upgrades/schema-facts.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log/log.ts'
import { migrationsFolder } from '../src/migrations-folder.ts'

interface Release {
  readonly version: string
  readonly last_migration: number
}

const log = createLog({ level: 'silent', process_name: 'test' })
const releases = JSON.parse(
  await readFile(new URL('../releases.json', import.meta.url), 'utf8'),
) as readonly Release[]
const previous = releases.at(-1) as Release

const noted = 'notes the end of a credential as the owner, and changes nothing else'
/** Changes since the last release that it can live with after all, and why. */
const reviewed: Readonly<Record<string, string>> = {
  'identity.sessions note_end': noted,
  'identity.sessions note_replacement': noted,
  'identity.tokens note_end': noted,
  'identity.tokens note_replacement': noted,
  'identity.oauth_secrets note_use': noted,
  'fleet.desk_keys note_end': noted,
  'fleet.desk_keys note_replacement': noted,
  'boards.hooks note_end': noted,
  'boards.hooks note_replacement': noted,
}

let database: TestDatabase
let client: pg.Client
let folder: string
let before: SchemaFacts
let after: SchemaFacts

beforeAll(async () => {
  database = await createDatabase(`t_upgrade_${randomBytes(5).toString('hex')}`)
  client = await connect(database, 'owner')
  folder = await mkdtemp(join(tmpdir(), 'crewhall-release-'))
  for (const name of await readdir(migrationsFolder))
    if (Number(name.slice(0, 4)) <= previous.last_migration)
      await copyFile(join(migrationsFolder, name), join(folder, name))
  await migrate(database.owner_url, folder, log, previous.version)
  before = await readSchemaFacts(client)
  await migrate(database.owner_url, migrationsFolder, log, previous.version)
  after = await readSchemaFacts(client)
})
afterAll(async () => {
  await client.end()
  await database.drop()
  await rm(folder, { recursive: true })
})

test('the last release can live with every migration since', () => {
  expect(before.relations.size).toBeGreaterThan(100)
  const nameOf = (change: string) => change.slice(0, change.indexOf(':'))
  const changes = breakingChanges(before, after)
  expect(changes.filter((change) => reviewed[nameOf(change)] === undefined)).toEqual([])
  // What was reviewed and is not there any more would hide the next one of that name.
  expect(Object.keys(reviewed).sort()).toEqual(changes.map(nameOf).sort())
})

test.each([
  ['drop table boards.comments cascade', 'boards.comments: gone'],
  ['alter table boards.cards rename to things', 'boards.cards: gone'],
  ['alter table boards.cards drop column title cascade', 'boards.cards.title: gone'],
  ['alter table boards.cards rename column title to name', 'boards.cards.title: gone'],
  [
    'alter table boards.labels alter column name type varchar(50)',
    'boards.labels.name: character varying(50) instead of text',
  ],
  ['alter table boards.cards alter column due_at set not null', 'boards.cards.due_at: required from now on'],
  [
    'alter table boards.cards add column weight int not null',
    'boards.cards.weight: new, and required without a default',
  ],
  [
    'alter table boards.cards alter column created_at drop default',
    'boards.cards.created_at: has lost its default',
  ],
  [
    'alter table boards.cards add constraint short check (length(title) < 10) not valid',
    'boards.cards short: new constraint on a table in use',
  ],
  [
    'create unique index one_title on boards.cards (brand_id, title)',
    'boards.cards one_title: new unique index on a table in use',
  ],
  [
    'alter table boards.labels drop constraint labels_name_key',
    'boards.labels labels_name_key: constraint gone',
  ],
  ['drop policy tenant on boards.cards', 'boards.cards tenant: policy gone'],
  [
    'create trigger late before insert on boards.cards for each row execute function suppress_redundant_updates_trigger()',
    'boards.cards late: new trigger on a table in use',
  ],
  ['drop function platform.now() cascade', 'platform.now(): gone'],
])('refused: %s', async (sql, change) => {
  await client.query('begin')
  try {
    await client.query(sql)
    expect(breakingChanges(after, await readSchemaFacts(client))).toContain(change)
  } finally {
    await client.query('rollback')
  }
})

test.each([
  'alter table boards.cards add column weight int',
  'alter table boards.cards add column weight int not null default 1',
  'alter table boards.cards add column weight int, add constraint light check (weight < 10)',
  'create table boards.weights (task_id uuid primary key, weight int not null)',
  'create index by_title on boards.cards (brand_id, title)',
  'alter table boards.cards alter column created_by drop not null',
])('accepted: %s', async (sql) => {
  await client.query('begin')
  try {
    await client.query(sql)
    expect(breakingChanges(after, await readSchemaFacts(client))).toEqual([])
  } finally {
    await client.query('rollback')
  }
})
