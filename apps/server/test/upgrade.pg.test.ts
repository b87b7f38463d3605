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
import { grantToProduct, type Narrowed } from '#platform/db/grants.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log/log.ts'
import { migrationsFolder } from '../src/migrations-folder.ts'

interface Release {
  readonly version: string
  readonly last_migration: number
  /** As in `grants.ts` of that version. */
  readonly narrowed: Narrowed
}

const log = createLog({ level: 'silent', process_name: 'test' })
const releases = JSON.parse(
  await readFile(new URL('../releases.json', import.meta.url), 'utf8'),
) as readonly Release[]
const previous = releases.at(-1) as Release

const noted = 'notes the end of a credential as the owner, and changes nothing else'
/**
 * Changes since the last release that it can live with after all, and why. That of the body of a function is named with
 * the digest of the new body, so that the next one is reviewed as well.
 */
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
let product: string
const readFacts = () => readSchemaFacts(client, product)
let folder: string
let before: SchemaFacts
let after: SchemaFacts

beforeAll(async () => {
  database = await createDatabase(`t_upgrade_${randomBytes(5).toString('hex')}`)
  client = await connect(database, 'owner')
  product = new URL(database.url).username
  folder = await mkdtemp(join(tmpdir(), 'crewhall-release-'))
  for (const name of await readdir(migrationsFolder))
    if (Number(name.slice(0, 4)) <= previous.last_migration)
      await copyFile(join(migrationsFolder, name), join(folder, name))
  await migrate(database.owner_url, folder, log, previous.version)
  await grantToProduct(database.owner_url, product, previous.narrowed)
  before = await readFacts()
  await migrate(database.owner_url, migrationsFolder, log, previous.version)
  await grantToProduct(database.owner_url, product)
  after = await readFacts()
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

/** What `sql` would break for a version that knows the schema as it is, with what it had besides. */
async function changesBy(sql: string, had?: string): Promise<string[]> {
  await client.query('begin')
  try {
    if (had) await client.query(had)
    const known = had ? await readFacts() : after
    await client.query(sql.replace('PRODUCT', product))
    return breakingChanges(known, await readFacts())
  } finally {
    await client.query('rollback')
  }
}

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
  [
    'create or replace function platform.now() returns timestamptz language sql stable parallel safe as $$select clock_timestamp()$$',
    'platform.now() 0f07466d: another body',
  ],
  [
    'alter function platform.now() volatile',
    'platform.now(): runs as invoker volatile instead of invoker stable',
  ],
  [
    'alter function platform.now() security definer',
    'platform.now(): runs as definer stable instead of invoker stable',
  ],
  [
    'alter function platform.now() set search_path = boards',
    'platform.now(): runs as invoker stable search_path=boards instead of invoker stable',
  ],
  [
    'revoke execute on function platform.now() from public, PRODUCT',
    'platform.now(): the product may no longer call it',
  ],
  [
    'alter table platform.migrations enable row level security',
    'platform.migrations: row security on, not off',
  ],
  ['alter table boards.cards no force row level security', 'boards.cards: row security on, not forced'],
  ['alter policy tenant on boards.cards to pg_monitor', 'boards.cards tenant: policy changed'],
  ['alter table identity.tokens disable trigger raise_epoch', 'identity.tokens raise_epoch: trigger changed'],
  [
    'alter table boards.columns drop constraint columns_board_fkey',
    'boards.columns columns_board_fkey: constraint gone',
  ],
  [
    'alter table boards.boards drop constraint boards_key_form',
    'boards.boards boards_key_form: constraint gone',
  ],
  [
    'alter table boards.cards drop column number cascade, add column number int generated always as (1) stored',
    'boards.cards.number: computed in another way',
  ],
  [
    'alter table boards.cards alter column created_at set default clock_timestamp()',
    'boards.cards.created_at: another default',
  ],
  [
    'create or replace view mailboxes.deliveries as select name, person_id::text as mailbox from mailboxes.names',
    'mailboxes.deliveries: selects something else',
  ],
  ['alter view inbox.readers set (security_invoker = false)', 'inbox.readers: selects something else'],
  [
    'revoke update, delete on boards.cards from PRODUCT',
    'boards.cards: the product may no longer delete, update',
  ],
])('refused: %s', async (sql, change) => {
  expect(await changesBy(sql)).toContain(change)
})

test.each([
  [
    "create type boards.size as enum ('small', 'large')",
    "alter type boards.size add value 'huge'",
    'boards.size: type changed',
  ],
  [
    'create domain boards.size as int check (value < 10)',
    'alter domain boards.size drop constraint size_check',
    'boards.size: type changed',
  ],
  [
    'create type boards.size as (width int, height int)',
    'alter type boards.size add attribute depth int',
    'boards.size: type changed',
  ],
  ['create domain boards.size as int', 'drop domain boards.size', 'boards.size: gone'],
  [
    'create table boards.sizes (id int generated by default as identity)',
    'alter table boards.sizes alter column id set generated always',
    'boards.sizes.id: computed in another way',
  ],
  [
    'create function boards.size(a int, b int default 1) returns int language sql return a + b',
    'drop function boards.size; create function boards.size(a int, b int) returns int language sql return a + b',
    'boards.size(a integer, b integer): an argument may no longer be left out',
  ],
])('after %s refused: %s', async (had, sql, change) => {
  expect(await changesBy(sql, had)).toEqual([change])
})

test.each([
  'alter table boards.cards add column weight int',
  'alter table boards.cards add column weight int not null default 1',
  'alter table boards.cards add column weight int, add constraint light check (weight < 10)',
  'create table boards.weights (task_id uuid primary key, weight int not null)',
  'create index by_title on boards.cards (brand_id, title)',
  'alter table boards.cards alter column created_by drop not null',
])('accepted: %s', async (sql) => {
  expect(await changesBy(sql)).toEqual([])
})
