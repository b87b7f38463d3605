import { expect, test } from 'vitest'
import { askedBy, factsOf, hasFacts, isFinding, queryOf, queryOfCards, swapsOf } from './find.rules.ts'

test.each([
  ['', [], false, undefined],
  ['fix the sign-in', ['fix', 'the', 'sign', 'in'], true, undefined],
  ['fix it ', ['fix', 'it'], false, undefined],
  ['auth/login.ts!', ['auth', 'login', 'ts'], false, undefined],
  ['see core-12 now', ['see', 'core', '12', 'now'], true, { key: 'CORE', number: 12 }],
  ['xcore-12', ['xcore', '12'], true, { key: 'XCORE', number: 12 }],
  ['core-12x', ['core', '12x'], true, undefined],
  ['core-0', ['core', '0'], true, undefined],
])('%j asks for %j', (q, words, is_open, ref) => {
  expect(askedBy(q)).toEqual({ words, is_open, ref })
})

test('of very many words the first ones count, and the last of those is whole', () => {
  const { words, is_open } = askedBy(Array.from({ length: 40 }, (_, n) => `w${n}`).join(' '))
  expect([words.length, is_open]).toEqual([16, false])
})

test('neighbors are swapped in words that are long enough to be recognized', () => {
  expect(swapsOf('door')).toBe('odor doro')
  expect(swapsOf('Depoly')).toContain('deploy')
  expect([swapsOf('the'), swapsOf('x'.repeat(30)), swapsOf('aaaa')]).toEqual(['', '', ''])
})

test('facts become a query in which nothing of a value is an operator', () => {
  const facts = factsOf({ label: ["it's", 'a\\b | c'], assignee: ['me', '7', 'none'], has_pr: false }, [
    'member:3',
  ])
  expect(hasFacts(facts)).toBe(true)
  expect(queryOf(5, { ...facts, board: ['b'] })).toBe(
    "('5#label=it''s' | '5#label=a\\\\b | c') & ('5#assignee=member:3' | '5#assignee=member:7' | '5#assignee=none')" +
      " & ('5#has_pr=false') & ('5#board=b')",
  )
})

test('a filter without a value finds nothing', () => {
  expect(queryOf(5, { label: [] })).toBe("('5#nothing')")
})

test('cards that are archived are left out', () => {
  expect(queryOfCards(5, { label: ['a'] })).toBe("('5#label=a') & !'5#archived'")
  expect([queryOfCards(5, {}), queryOf(5, {})]).toEqual(["!'5#archived'", ''])
})

test('only facts that are asked for count', () => {
  expect(hasFacts({ ...factsOf({ blocked: true }, []), board: ['b'] })).toBe(false)
  expect([
    isFinding({}),
    isFinding({ has_pr: true }, ['has_pr']),
    isFinding({ has_pr: true, sort: 'due' }, ['has_pr']),
  ]).toEqual([false, false, true])
})
