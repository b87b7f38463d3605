import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log/log.ts'
import { roleNames } from './names.rules.ts'

const migrations = fileURLToPath(new URL('../../../../migrations', import.meta.url))
const log = createLog({ level: 'silent', process_name: 'test' })
const before = mkdtempSync(join(tmpdir(), 'crewhall-migrations-'))
const emails = [
  'ann@one.example',
  'ann@two.example',
  'ann@three.example',
  'carl.bell+news@example.test',
  'jo@example.test',
  '李@example.test',
  `${'x'.repeat(29)}-y@example.test`,
  ...roleNames.map((name) => `${name}@example.test`),
]
let database: TestDatabase
let client: pg.Client

/** A database as the version before this module left it, with people in it, and then migrated. */
beforeAll(async () => {
  for (const name of readdirSync(migrations).filter((each) => each < '0010'))
    cpSync(join(migrations, name), join(before, name))
  database = await createDatabase(`t${process.pid}_earlier_people`)
  await migrate(database.owner_url, before, log, '0.1.0')
  client = await connect(database, 'owner')
  await client.query('insert into identity.people (email, full_name) select unnest($1::text[]), $2', [
    emails,
    'Ann',
  ])
  await client.query(
    `insert into identity.people (email, full_name, kind) values ('bot@example.test', 'Bot', 'service')`,
  )
  await migrate(database.owner_url, migrations, log, '0.1.0')
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
  rmSync(before, { recursive: true, force: true })
})

async function names(): Promise<Record<string, string>> {
  const { rows } = await client.query<{ email: string; name: string }>(
    `select p.email, n.name from identity.people p join mailboxes.names n on n.person_id = p.id
     where n.forwards_until is null`,
  )
  return Object.fromEntries(rows.map(({ email, name }) => [email, name]))
}

test('everybody who was here before has an address, and a service has none', async () => {
  expect(Object.keys(await names()).sort()).toEqual([...emails].sort())
})

test('the address comes from the e-mail address, with a number when that is taken or no name', async () => {
  expect(await names()).toMatchObject({
    'ann@one.example': 'ann',
    'ann@two.example': expect.stringMatching(/^ann-\d+$/),
    'ann@three.example': expect.stringMatching(/^ann-\d+$/),
    'carl.bell+news@example.test': 'carl-bell',
    'jo@example.test': expect.stringMatching(/^jo-\d+$/),
    '李@example.test': 'person',
    [`${'x'.repeat(29)}-y@example.test`]: 'x'.repeat(29),
  })
})

test('nobody got a role name: the migration knows the same ones as the rules', async () => {
  const given = Object.values(await names())
  expect(given.filter((name) => roleNames.includes(name))).toEqual([])
})
