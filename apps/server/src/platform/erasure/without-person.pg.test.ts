import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withoutPerson } from './without-person.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'application')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const former = 'Former member'
const member = { kind: 'member', id: '5', name: 'Ann', on_behalf_of: null }
const cases: readonly (readonly [string, unknown, unknown])[] = [
  ['a member', member, { ...member, name: former }],
  ['a guest', { ...member, kind: 'guest' }, { ...member, kind: 'guest', name: former }],
  ['another member', { ...member, id: '55' }, { ...member, id: '55' }],
  ['an agent whose id is that number', { ...member, kind: 'agent' }, { ...member, kind: 'agent' }],
  [
    'whom an agent works for',
    { kind: 'agent', id: 'a', name: 'Builder', on_behalf_of: { id: '5', name: 'Ann' } },
    { kind: 'agent', id: 'a', name: 'Builder', on_behalf_of: { id: '5', name: former } },
  ],
  [
    'deep inside',
    { data: { from: [member, null], to: {} } },
    { data: { from: [{ ...member, name: former }, null], to: {} } },
  ],
  [
    'beside a number',
    { user_id: 5, name: 'Ann', role: 'viewer' },
    { user_id: 5, name: former, role: 'viewer' },
  ],
  [
    'facts of a token',
    { person_id: 5, name: 'Laptop', agent: 'Builder', scopes: ['a'] },
    { person_id: 5, name: former, agent: null, scopes: ['a'] },
  ],
  [
    'a person with an address',
    { id: 5, full_name: 'Ann', email: 'ann@example.test' },
    { id: 5, full_name: former, email: null },
  ],
  ['something else with that number', { id: 5, name: 'Ann' }, { id: 5, name: 'Ann' }],
  [
    'words',
    { title: 'Ann', count: 5, is: true, list: ['Ann', []] },
    { title: 'Ann', count: 5, is: true, list: ['Ann', []] },
  ],
  ['nothing', null, null],
]

describe.each(cases)('%s', (_, given, wanted) => {
  test('in the product', () => expect(withoutPerson(given, 5)).toEqual(wanted))
  test('in the database', async () => {
    const { rows } = await client.query<{ value: unknown }>(
      `select platform.without_person($1::jsonb, 5, '{}') as value`,
      [JSON.stringify(given)],
    )
    expect(rows[0]?.value).toEqual(wanted)
  })
})

test('the order of fields stays in the product: a payload keeps its form', () => {
  const payload = '{"type":"a","actor":{"name":"Ann","id":"5"},"b":1}'
  expect(JSON.stringify(withoutPerson(JSON.parse(payload), 5))).toBe(
    '{"type":"a","actor":{"name":"Former member","id":"5"},"b":1}',
  )
})

test('words that are given are taken out where they are a whole text, in any case', async () => {
  const { rows } = await client.query<{ value: unknown }>(
    `select platform.without_person('{"a":"Ann@Example.test","b":["by ann@example.test"]}', 5, '{ann@example.test}') as value`,
  )
  expect(rows[0]?.value).toEqual({ a: former, b: ['by ann@example.test'] })
})
