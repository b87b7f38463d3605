import { expect, test } from 'vitest'
import { isOwnUnit, shinglesOf, unitsOf } from './own-texts.ts'

const memory = `Deploys go out on Tuesdays, because support is fully staffed on that day of the week. Never on Fridays.
Ask Ruth before a hotfix.`
const own = shinglesOf(memory)

test.each([
  'Deploys go out on Tuesdays, because support is fully staffed on that day of the week.',
  '- DEPLOYS go out on tuesdays because support is fully staffed',
  'As I recall: deploys go out on Tuesdays, because support is fully staffed on that day of the week.',
  'Ask Ruth before a hotfix.',
  '> **Ask Ruth, before a hotfix**',
])('ours, whatever stands around it: %s', (unit) => {
  expect(isOwnUnit(unit, own)).toBe(true)
})

test.each([
  'Deploys go out on Mondays, since support has more people on that day.',
  'Ask Ruth before a release.',
  'Never on Fridays.',
  'Support is fully staffed.',
  '',
  '…',
])('not ours: %s', (unit) => {
  expect(isOwnUnit(unit, own)).toBe(false)
})

test.each([
  'I remember: Ask Ruth before a hotfix.',
  '- **I recall:** ask Ruth before a hotfix',
  '> As we noted before: Ask Ruth before a hotfix.',
  'Reminder: Ask Ruth before a hotfix.',
  'From memory: ask Ruth before a hotfix',
  'My notes say: ask Ruth before a hotfix',
])('a short one is ours behind words that announce it: %s', (unit) => {
  expect(isOwnUnit(unit, own)).toBe(true)
})

test.each([
  'Wrong: Ask Ruth before a hotfix.',
  'Not true: Ask Ruth before a hotfix.',
  'Changed: Ask Ruth before a hotfix.',
  'Old note: Ask Ruth before a hotfix.',
  'No longer: ask Ruth before a hotfix.',
  'I no longer know: ask Ruth before a hotfix.',
  'I remember wrongly: ask Ruth before a hotfix.',
  'I remember: ask Ruth before a release.',
  'I remember: never ask Ruth before a hotfix.',
  'I remember: Wrong: ask Ruth before a hotfix.',
  'The notebook: ask Ruth before a hotfix.',
  'I remember:',
])('what else stands before a short one is news: %s', (unit) => {
  expect(isOwnUnit(unit, own)).toBe(false)
})

test.each([
  [
    'The payments service keeps its data in Postgres 16',
    'The payments service keeps its data in Postgres 17',
  ],
  [
    'All traffic that leaves the union goes through the relay that we rent in Frankfurt',
    'All traffic that leaves the union goes through the relay that we rent in Amsterdam',
  ],
  [
    'Refunds need an approval by a manager of the depot before they are paid out',
    'Refunds need no approval by a manager of the depot before they are paid out',
  ],
  [
    'Since the move the export of the ledger starts every night at 02:30 and takes an hour',
    'Since the move the export of the ledger starts every night at 03:30 and takes an hour',
  ],
  [
    'The tests of the importer and the exporter are run before every merge into main',
    "The tests of the importer and the exporter aren't run before every merge into main",
  ],
  ['The offset is -5', 'The offset is 5'],
  ['The library is written in C', 'The library is written in C++'],
  ['The .env file is loaded by the launcher', 'The env file is loaded by the launcher'],
  ['Stop the job if x < 5', 'Stop the job if x > 5'],
  ['One seat costs $5', 'One seat costs €5'],
])('what has changed about ours is news: %s', (memory, now) => {
  expect(isOwnUnit(memory, shinglesOf(memory))).toBe(true)
  expect(isOwnUnit(now, shinglesOf(memory))).toBe(false)
})

test('a text that was wrapped anew is recognised line by line', () => {
  const wrapped = memory.replaceAll('\n', ' ').match(/(?:\S+\s*){1,12}/g) ?? []
  expect(wrapped.filter((line) => isOwnUnit(line, own)).length).toBeGreaterThanOrEqual(wrapped.length - 1)
})

test('a script without blanks is recognised as well', () => {
  const japanese = '本番環境への配備は毎週火曜日に行います。'
  expect(isOwnUnit(japanese, shinglesOf(japanese))).toBe(true)
})

test('units put together are the text', () => {
  for (const text of [memory, '', '\n\n', 'a.b. c?\td!', 'one\n\ntwo.', '. . .']) {
    expect(unitsOf(text).join('')).toBe(text)
  }
})

test('a million characters without a blank, and of one letter each, are read in linear time', () => {
  expect(shinglesOf('x'.repeat(1_000_000)).size).toBe(1)
  expect(shinglesOf('x '.repeat(500_000)).size).toBe(1)
  expect(unitsOf('.'.repeat(1_000_000))).toHaveLength(2)
})
