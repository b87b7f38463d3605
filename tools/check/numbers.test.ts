import { expect, test } from 'vitest'
import { checkNumbers } from './numbers.ts'
import { plantRepo } from './planted-repo.ts'

const migrations = 'apps/server/migrations'
const judge = (...paths: readonly string[]) =>
  checkNumbers(plantRepo(Object.fromEntries(paths.map((path) => [path, ''])))).map(
    ({ path, rule, message }) => `${path} ${rule}: ${message}`,
  )

test('numbers that follow each other from one pass, in each folder by itself', () => {
  const good = [`${migrations}/0001_a.sql`, `${migrations}/0002_b.sql`, 'docs/decisions/0001-c.md']
  expect(judge(...good, 'docs/0007-other.md')).toEqual([])
})

test('a number that two files have fails and tells the next free one', () => {
  expect(judge(`${migrations}/0001_a.sql`, `${migrations}/0001_b.sql`, `${migrations}/0002_c.sql`)).toEqual([
    `${migrations}/0001_b.sql number: 0001 is taken; the next free number is 0003`,
  ])
  expect(judge('docs/decisions/0001-a.md', 'docs/decisions/0001-b.md')).toHaveLength(1)
})

test('a number that is left out fails, also the first one', () => {
  expect(judge('docs/decisions/0001-a.md', 'docs/decisions/0003-b.md')).toEqual([
    'docs/decisions/0003-b.md number: there is no 0002',
  ])
  expect(judge(`${migrations}/0002_a.sql`)).toEqual([`${migrations}/0002_a.sql number: there is no 0001`])
})

test('a file without a number fails', () => {
  expect(judge(`${migrations}/0001_a.sql`, `${migrations}/b.sql`)).toEqual([
    `${migrations}/b.sql number: its name does not begin with a number of four digits`,
  ])
})
