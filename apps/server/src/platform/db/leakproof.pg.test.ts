import { readFileSync } from 'node:fs'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { findMissingMarks } from '#platform/db/leakproof.ts'
import { createPool } from '#platform/db/pool.ts'
import { createLog } from '#platform/log/log.ts'

let copy: TestDatabase
let admin: pg.Client
let database: Database
beforeAll(async () => {
  copy = await cloneDatabase(templateName('product'))
  admin = await connect(copy, 'superuser')
  const limits = { connect_timeout_ms: 2000, statement_timeout_ms: 5000, idle_transaction_timeout_ms: 10_000 }
  const log = createLog({ level: 'silent', process_name: 'test' })
  database = new Database(
    createPool({ url: copy.url, size: 1, ...limits, application_name: 'test' }, log),
    5250,
  )
})
afterAll(async () => {
  await database.close()
  await admin.end()
  await copy.drop()
})

test('a database of the services has the marks', async () => {
  expect(await findMissingMarks(database)).toBeUndefined()
})

test('what is not marked is named with the SQL that marks it, which Compose runs as well', async () => {
  await admin.query(`alter function ts_match_vq(tsvector, tsquery) not leakproof;
    alter function word_similarity_commutator_op(text, text) not leakproof`)
  const marks = await findMissingMarks(database)
  expect(marks).toBe(
    'alter function ts_match_vq(tsvector,tsquery) leakproof; alter function word_similarity_commutator_op(text,text) leakproof;',
  )
  const compose = readFileSync(`${root}/deploy/compose.yaml`, 'utf8').replaceAll(', ', ',')
  for (const mark of marks?.split('; ') ?? []) expect(compose).toContain(`'${mark.replace(';', '')}'`)
  await admin.query(marks ?? '')
  expect(await findMissingMarks(database)).toBeUndefined()
})

test('one of them alone is named alone', async () => {
  await admin.query('alter function ts_match_vq(tsvector, tsquery) not leakproof')
  expect(await findMissingMarks(database)).toBe('alter function ts_match_vq(tsvector,tsquery) leakproof;')
})
