import { anyone, route } from '@crewhall/contracts/route.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { formatOf, render } from '#platform/http/response/format.ts'

const plain = route({
  id: 'test.read',
  method: 'GET',
  path: '/api/v1/test',
  summary: 'Test',
  auth: anyone(),
  responses: { 200: z.object({}) },
})
const board = { ...plain, invalid: 400, formats: { default: 'md', accepts: ['json', 'yaml'] } } as const

describe('formatOf', () => {
  test('is JSON for a contract without formats, whatever is asked', () => {
    expect(formatOf(plain, { format: 'yaml' })).toBe('json')
  })

  test('is the default of the contract when nothing is asked', () => {
    expect(formatOf(board, {})).toBe('md')
  })

  test.each(['json', 'yaml'])('is %s when it is asked and accepted', (format) => {
    expect(formatOf(board, { format })).toBe(format)
  })

  test.each([
    { format: 'md' },
    { format: 'JSON' },
    { format: '' },
    { format: ['json'] },
    { format: '__proto__' },
  ])('refuses %j with the status of the family', (query) => {
    expect(() => formatOf(board, query)).toThrow(
      expect.objectContaining({ status: 400, detail: 'format: must be one of json, yaml' }),
    )
  })
})

describe('YAML', () => {
  const bothReaders = ['1.1', '1.2'] as const

  test.each(bothReaders)('gives a reader of YAML %s every text back as it was', (version) => {
    const tricky = fc.constantFrom(
      'no',
      'yes',
      'on',
      'off',
      'y',
      'n',
      '~',
      'null',
      'true',
      '1e3',
      '.5',
      '0o17',
      '017',
      '0x1f',
      '1_000',
      '1:30',
      '190:20:30',
      '2024-01-01',
      '.inf',
      '.nan',
      '=',
      '<<',
      '- a',
      '# c',
      'a: b',
      '&a',
      '*a',
      '!x',
      '',
      ' ',
      ' a ',
      'a\nb',
      'a\n\n b\n',
      '|',
      '>',
      '%',
      '@',
      '`',
      '"',
      "'",
      '\t',
      '---',
      '...',
      '\u2028',
      '\ufeff',
    )
    const anyText = fc
      .oneof(
        tricky,
        fc.string({ unit: fc.constantFrom(...'0123456789+-._:eExXoOabnyftT~# \n') }),
        fc.string({ unit: 'grapheme' }),
        // Of a text that is nothing but blank lines the library loses the spaces.
      )
      .filter((text) => !text.includes('\n') || text.trim() !== '')
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{2,6}$/), anyText),
        fc.array(anyText),
        (facts, list) => {
          const body = { facts: { ...facts }, list }
          expect(parse(render('yaml', body).text, { version })).toEqual(body)
        },
      ),
      { numRuns: scaled(1500, 300) },
    )
  })

  test('writes a value that stands in two places twice: readers limit aliases', () => {
    const shared = { a: 1 }
    expect(render('yaml', { first: shared, second: shared }).text).not.toMatch(/[&*]/)
  })
})

test.each([
  ['yaml', 'application/yaml; charset=utf-8'],
  ['md', 'text/markdown; charset=utf-8'],
] as const)('%s is sent as %s', (format, type) => {
  expect(render(format, { a: 1 }).content_type).toBe(type)
})
