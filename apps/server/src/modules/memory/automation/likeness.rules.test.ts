import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hasSameSubject, isNear, isSame } from './likeness.rules.ts'

const said = (text: string) => ({ title: text, body: text })

// Label, what differs or how much, and two texts.
const pairs = readFileSync(new URL('likeness-pairs.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [label: string, kind: string, a: string, b: string])
const labelled = (label: string) => pairs.filter(([each]) => each === label)
const areSame = ([, , a, b]: (typeof pairs)[number]) => isSame(said(a), said(b))

describe('C19: of 200 labelled pairs', () => {
  test('there are 100 distinct and 100 same ones', () => {
    expect([labelled('distinct').length, labelled('same').length]).toEqual([100, 100])
  })

  test('none of the distinct ones is taken for the same, in either order', () => {
    const merged = labelled('distinct').filter(
      (pair) => areSame(pair) || areSame([pair[0], pair[1], pair[3], pair[2]]),
    )
    expect(merged).toEqual([])
  })

  test('at least 60 of the same ones are found: all but a few rewordings, and no free paraphrase', () => {
    const found = labelled('same').filter(areSame)
    const of = (kind: string) => found.filter((pair) => pair[1] === kind).length
    expect({ form: of('form'), light: of('light'), free: of('free') }).toEqual({
      form: 34,
      light: 32,
      free: 0,
    })
    expect(found.length).toBeGreaterThanOrEqual(60)
  })

  test('texts of different pairs are never the same', () => {
    const texts = [...new Set(labelled('distinct').flatMap(([, , a, b]) => [a, b]))]
    const merged = texts.flatMap((a, at) => texts.slice(at + 1).filter((b) => isSame(said(a), said(b))))
    expect(merged).toEqual([])
  })
})

describe('the same', () => {
  test('needs titles that add the same to equal bodies', () => {
    const body = 'It listens on port 8080.'
    expect(isSame({ title: 'Payments', body }, { title: 'The payments', body })).toBe(true)
    expect(isSame({ title: 'Payments', body }, { title: 'Orders', body })).toBe(false)
    expect(isSame({ title: 'Port 8080', body }, { title: 'Listens on 8080', body })).toBe(true)
  })

  test.each(['', '   ', 'the', '…'])('is nothing without words: %j', (text) => {
    expect(isSame(said(text), said(text))).toBe(false)
  })

  test.each([
    ['x < 5', 'x > 5'],
    ['costs $5', 'costs €5'],
    ['if a != b stop', 'if a == b stop'],
    ['use *.ts', 'use *.js'],
    ['the flag is !ready', 'the flag is ready'],
    ['written in C#', 'written in C'],
    ['run a && b', 'run a || b'],
  ])('counts signs: %j and %j', (a, b) => {
    expect(isSame(said(a), said(b))).toBe(false)
  })

  test('is found in texts of any size in bounded time', () => {
    const long = 'word '.repeat(2000)
    const before = process.threadCpuUsage()
    expect(isSame(said(`${long} 1`), said(`${long} 2`))).toBe(false)
    expect(process.threadCpuUsage(before).user / 1e6).toBeLessThan(1)
  })
})

describe('near to what a person has taken away', () => {
  const deleted = said('The staging database is reset every night at 02:00')
  test.each([
    ['the same words in another order', 'Every night at 2am the staging database is reset', null, true],
    ['another number', 'The staging database is reset every night at 03:00', 0.99, false],
    ['the contrary', 'The staging database is not reset every night at 02:00', 0.99, false],
    ['another name', 'Postgres in Frankfurt and the staging database reset every night', 0.8, true],
    ['few words in common and a near vector', 'All data in staging is wiped each night', 0.7, true],
    ['the same without one', 'All data of tests is wiped', null, false],
    ['nothing in common', 'The logo is blue', 0.3, false],
  ])('%s', (_, text, cosine, expected) => {
    expect(isNear(said(text), deleted, cosine)).toBe(expected)
  })

  test('a lack is as much of a "not" as what is without', () => {
    const without = said('The importer drops rows without a consignee')
    expect(isNear(said('Rows that lack a consignee are thrown away by the importer'), without, null)).toBe(
      true,
    )
    expect(isNear(said('Rows that have a consignee are dropped by the importer'), without, 0.99)).toBe(false)
  })

  test('two names that exclude each other make a difference', () => {
    expect(isNear(said('The owner of billing is Bob'), said('The owner of billing is Ana'), 0.99)).toBe(false)
  })

  test('without the text only a near vector asks', () => {
    expect([0.74, 0.75, null].map((cosine) => isNear(deleted, null, cosine))).toEqual([false, true, false])
  })
})

describe('C20: whether one can take the place of another', () => {
  test.each([
    ['Payments uses Postgres 16', 'Payments uses Postgres 17', true],
    ['Ana owns the billing service', 'Bob owns the billing service', true],
    ['The build takes nine minutes', 'The build takes 4 minutes since the cache was added', true],
    [
      'The payments service is owned by team Falcon',
      'The payments service listens on port 8080 behind the proxy',
      false,
    ],
    ['The logo is blue', 'Invoices are sent monthly', false],
  ])('%j and %j: %s', (a, b, expected) => {
    expect(hasSameSubject(said(a), said(b))).toBe(expected)
  })
})
