import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  anyObject,
  ErrorBody,
  Moment,
  queryBoolean,
  queryInteger,
  Timestamp,
  text,
  Uuid,
  webLink,
  words,
} from './wire.ts'

describe('text', () => {
  test('takes a text exactly when its number of code points lies within the limits', () => {
    const limits = fc.tuple(fc.nat(8), fc.nat(8)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    fc.assert(
      fc.property(limits, fc.string({ unit: 'binary', maxLength: 12 }), ([min, max], rest) => {
        // Something in it can be seen; whether blanks are enough is another rule.
        const value = rest === '' ? rest : `x${rest}`
        const count = [...value].length
        expect(text(min, max).safeParse(value).success).toBe(count >= min && count <= max)
      }),
      { numRuns: scaled(2000, 500) },
    )
  })

  test('S19: a text that must not be empty holds something that can be seen', () => {
    const blank = fc.string({
      unit: fc.constantFrom(' ', '\t', '\u3000', '\u00a0', '\u200b', '\ufeff', '\u3164'),
    })
    fc.assert(
      fc.property(blank, fc.constantFrom('a', 'ß', '字', '😀', '-'), (around, seen) => {
        expect(text(1, 100).safeParse(around).success).toBe(false)
        expect(words(100).safeParse(around).success).toBe(false)
        expect(text(0, 100).safeParse(around).success).toBe(true)
        expect(text(1, 100).safeParse(around + seen).success).toBe(true)
      }),
    )
    expect(words(3).parse(' \u3000abc\n')).toBe('abc')
  })

  test('counts an emoji once and a combining accent by itself', () => {
    expect(text(1, 1).safeParse('😀').success).toBe(true)
    expect(text(1, 1).safeParse('e\u0301').success).toBe(false)
  })

  test.each([1, null, true, [], {}])('takes no %j', (value) => {
    expect(text(0, 10).safeParse(value).success).toBe(false)
  })
})

test.each(['http://a.example/x', 'HTTPS://a.example'])('S19: %s is a link', (value) => {
  expect(webLink(100).safeParse(value).success).toBe(true)
})
test.each([
  'javascript:alert(1)',
  'https:',
  'https://',
  '//a.example',
  ' https://a.example',
  'ftp://a.example',
])('S19: %s is no link', (value) => {
  expect(webLink(100).safeParse(value).success).toBe(false)
})

test('S10: an object is measured in bytes', () => {
  expect(anyObject(9).safeParse({ a: 'é' }).success).toBe(false)
  expect(anyObject(10).safeParse({ a: 'é' }).success).toBe(true)
})

test('K19: a moment that is sent has six digits afterwards', () => {
  expect(Moment.parse('2026-11-15T02:30:38Z')).toBe('2026-11-15T02:30:38.000000Z')
  expect(Moment.parse('2026-11-15T02:30:38.12Z')).toBe('2026-11-15T02:30:38.120000Z')
})

describe('queryInteger', () => {
  const schema = queryInteger(-1000, 1000)

  test('reads every whole number within the limits, in its plain form', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000, max: 1000 }), (value) => {
        expect(schema.parse(String(value))).toBe(value)
      }),
    )
  })

  test('refuses whole numbers outside the limits', () => {
    const outside = fc.oneof(
      fc.integer({ min: 1001 }),
      fc.integer({ max: -1001 }),
      fc.bigInt({ min: 10n ** 15n }),
    )
    fc.assert(
      fc.property(outside, (value) => {
        expect(schema.safeParse(String(value)).success).toBe(false)
      }),
    )
  })

  test('takes a text only when it is the plain form of the number it gives', () => {
    const near = fc.string({ unit: fc.constantFrom(...'0123456789-+. eExX_٣'), maxLength: 6 })
    fc.assert(
      fc.property(near, (value) => {
        const result = schema.safeParse(value)
        if (result.success) expect(String(result.data)).toBe(value)
      }),
      { numRuns: scaled(5000, 1000) },
    )
  })

  test.each(['', ' 1', '1 ', '+1', '-0', '01', '1e1', '0x1', '1.0', '1\n', '١'])('refuses %j', (value) => {
    expect(schema.safeParse(value).success).toBe(false)
  })

  test('names its limits in the refusal', () => {
    expect(queryInteger(1, 50).safeParse('51').error?.issues[0]?.message).toBe(
      'must be a whole number from 1 to 50',
    )
  })
})

test.each([
  ['true', true],
  ['false', false],
])('queryBoolean reads %s', (value, read) => {
  expect(queryBoolean.parse(value)).toBe(read)
})

test.each(['TRUE', '1', '0', '', 'yes', true])('queryBoolean refuses %j', (value) => {
  expect(queryBoolean.safeParse(value).success).toBe(false)
})

describe('Uuid', () => {
  test('gives any spelling in upper and lower case one form', () => {
    fc.assert(
      fc.property(fc.uuid(), (value) => {
        expect(Uuid.parse(value.toUpperCase())).toBe(value)
        expect(Uuid.parse(value)).toBe(value)
      }),
    )
  })

  const value = '0b5c9d2e-4f61-4c7a-9e3b-7d1a2f3c4b5d'
  test.each([
    `{${value}}`,
    `urn:uuid:${value}`,
    value.replaceAll('-', ''),
    ` ${value}`,
    `${value}\n`,
    `${value}0`,
    '',
  ])('refuses %j', (other) => {
    expect(Uuid.safeParse(other).success).toBe(false)
  })
})

test.each(['2026-11-15T02:30:38Z', '2026-11-15T02:30:38.1Z', '2026-11-15T02:30:38.588109Z'])(
  'Timestamp takes %s',
  (value) => {
    expect(Timestamp.safeParse(value).success).toBe(true)
  },
)

test.each([
  '2026-11-15T02:30:38',
  '2026-11-15 02:30:38Z',
  '2026-11-15T02:30:38+05:30',
  '2026-11-15',
  '1763173838',
])('Timestamp refuses %s', (value) => {
  expect(Timestamp.safeParse(value).success).toBe(false)
})

test.each([[['a']], [null], [1], [undefined]])('a detail is never %j', (detail) => {
  expect(ErrorBody.safeParse({ detail }).success).toBe(false)
})

test.each(['words', { code: 'x', holds: 1 }])('a detail may be %j', (detail) => {
  expect(ErrorBody.safeParse({ detail }).success).toBe(true)
})
