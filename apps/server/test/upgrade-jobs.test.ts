import { readFile } from 'node:fs/promises'
import { type JobSpec, job } from '@crewhall/contracts/job.ts'
import { allJobs } from '@crewhall/contracts/jobs.ts'
import { breakingJobs, type JobFacts, readJobFacts } from '@crewhall/testkit/upgrades/job-facts.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'

const released = JSON.parse(
  await readFile(new URL('../released-jobs.json', import.meta.url), 'utf8'),
) as readonly JobFacts[]

/** Changes since the last release that both can live with after all, and why. */
const reviewed: Readonly<Record<string, string>> = {}

test('workers of the last release and of this one can do what the other enqueues', () => {
  expect(released.length).toBeGreaterThan(40)
  const nameOf = (change: string) => change.slice(0, change.indexOf(':'))
  const changes = breakingJobs(released, readJobFacts(allJobs))
  expect(changes.filter((change) => reviewed[nameOf(change)] === undefined)).toEqual([])
  expect(Object.keys(reviewed).sort()).toEqual(changes.map(nameOf).sort())
})

const { strictObject, object, int, string } = z
const of = (payload: z.ZodType): JobSpec => job({ name: 'a.do', payload })
const changes = (was: z.ZodType, is?: z.ZodType) =>
  breakingJobs(readJobFacts([of(was)]), is ? readJobFacts([of(is)]) : [])
const one = { id: int() }

test.each([
  ['a job that is gone', object(one), undefined, 'a.do: gone, and some may be queued'],
  [
    'a new field that is required',
    object(one),
    object({ ...one, more: int() }),
    'a.do.more: new, and the last release does not send it',
  ],
  [
    'a new field that was refused',
    strictObject(one),
    strictObject({ ...one, more: int().optional() }),
    'a.do.more: new, and the last release refuses it',
  ],
  ['a field that is gone', object(one), object({}), 'a.do.id: gone, and the last release demands it'],
  [
    'a field that is refused from now on',
    strictObject({ id: int().optional() }),
    strictObject({}),
    'a.do.id: gone, and the last release may send it',
  ],
  [
    'a field that is required from now on',
    object({ id: int().optional() }),
    object(one),
    'a.do.id: required from now on',
  ],
  [
    'a field that may be left out',
    object(one),
    object({ id: int().optional() }),
    'a.do.id: may be left out, and the last release demands it',
  ],
  [
    'a narrower field',
    object({ id: string() }),
    object({ id: string().max(3) }),
    'a.do.id: takes something else',
  ],
  [
    'a wider field',
    object({ id: z.enum(['a']) }),
    object({ id: z.enum(['a', 'b']) }),
    'a.do.id: takes something else',
  ],
  ['another kind of payload', object({}), z.union([object(one), string()]), 'a.do: takes something else'],
])('refused: %s', (_, was, is, change) => {
  expect(changes(was, is)).toEqual([change])
})

test.each([
  ['a new field that may be left out', object(one), object({ ...one, more: int().optional() })],
  ['a field that is gone and could be left out', object({ id: int().optional() }), object({})],
  ['other words', object({ id: string().describe('one') }), object({ id: string().describe('other') })],
  ['another order', object({ a: int(), b: int() }), object({ b: int(), a: int() })],
])('accepted: %s', (_, was, is) => {
  expect(changes(was, is)).toEqual([])
})
