import { expect, test } from 'vitest'
import { Outage } from '#platform/outage/outage.ts'

test.for([
  ['unreachable', 'The database cannot be reached'],
  ['timeout', 'The database did not answer in time'],
  ['overloaded', 'The database is overloaded'],
  ['not_configured', 'The database is not configured'],
] as const)('an outage by %s is a 503 that says: %s', ([reason, detail]) => {
  expect(new Outage('database', reason)).toMatchObject({
    status: 503,
    detail,
    message: `database: ${reason}`,
  })
})

test('an outage keeps its cause out of what the caller is told', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432')
  const outage = new Outage('database', 'unreachable', { cause })
  expect(outage.cause).toBe(cause)
  expect(outage.detail).not.toContain('10.0.0.7')
})

test('a contract may demand another status and another sentence', () => {
  const outage = new Outage('mail', 'timeout', { status: 504, detail: 'Try again later' })
  expect(outage).toMatchObject({ status: 504, detail: 'Try again later' })
})
