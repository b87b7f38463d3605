import { expect, test } from 'vitest'
import { isRetryable, translatePgError, violates } from '#platform/db/pg-errors.ts'
import { Outage } from '#platform/outage/outage.ts'

const failure = (message: string, facts: object = {}) => Object.assign(new Error(message), facts)

test.for([
  ['08006', 'unreachable'],
  ['57P01', 'unreachable'],
  ['57P02', 'unreachable'],
  ['57P03', 'unreachable'],
  ['53300', 'unreachable'],
  ['53100', 'unreachable'],
  ['25006', 'unreachable'],
  ['ECONNREFUSED', 'unreachable'],
  ['ECONNRESET', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['57014', 'timeout'],
  ['55P03', 'overloaded'],
  ['CH504', 'timeout'],
] as const)('the code %s is an outage of the database by %s', ([code, reason]) => {
  const error = failure('told by the server', { code })
  expect(translatePgError(error)).toMatchObject({ name: 'Outage', part: 'database', reason, cause: error })
})

test.for([
  ['Connection terminated unexpectedly', 'unreachable'],
  ['Client has encountered a connection error and is not queryable', 'unreachable'],
  ['Client was closed and is not queryable', 'unreachable'],
  ['Connection terminated due to connection timeout', 'timeout'],
  ['timeout exceeded when trying to connect', 'timeout'],
  ['Query read timeout', 'timeout'],
] as const)('the driver saying "%s" is an outage by %s', ([message, reason]) => {
  expect(translatePgError(failure(message))).toMatchObject({ name: 'Outage', part: 'database', reason })
})

test.for(['23505', '22P02', '42P01', '40001', '25P02'])('the code %s stays what it is', (code) => {
  const error = failure('told by the server', { code })
  expect(translatePgError(error)).toBe(error)
})

test.for(['connection terminated', 'query read timeout'])(
  'a refusal of the server whose text happens to say "%s" is no outage',
  (text) => {
    const error = failure(`value "${text}" is not allowed`, { code: '23514' })
    expect(translatePgError(error)).toBe(error)
  },
)

test('an outage is not wrapped again', () => {
  const outage = new Outage('mail', 'timeout')
  expect(translatePgError(outage)).toBe(outage)
})

test.for([
  ['40001', true],
  ['40P01', true],
  ['40002', false],
  ['23505', false],
] as const)('running again after %s may help: %s', ([code, expected]) => {
  expect(isRetryable(failure('x', { code }))).toBe(expected)
})

test('a violated constraint is known by its name', () => {
  const error = failure('duplicate key', { code: '23505', constraint: 'desks_pkey' })
  expect(violates(error, 'desks_pkey')).toBe(true)
  expect(violates(error, 'desks_name_key')).toBe(false)
  expect(violates(undefined, 'desks_pkey')).toBe(false)
})
