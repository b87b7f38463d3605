import { expect, test } from 'vitest'
import { deriveTold } from './told-changes.rules.ts'

const fields = Array.from({ length: 35 }, (_, n) => `a_field_with_a_long_name_${n}`)
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test('short values are told as they are, long ones by their sizes', () => {
  const changed = {
    priority: { from: 'none', to: 'high' },
    plan: { from: 'é'.repeat(60), to: 'x'.repeat(4000) },
    untold: { from: 1, to: 2 },
  }
  expect(deriveTold(changed, ['priority', 'plan'])).toEqual({
    priority: { from: 'none', to: 'high' },
    plan: { from_bytes: 120, to_bytes: 4000 },
  })
})

test.each(['x'.repeat(500), '\u0001'.repeat(170), '😀'.repeat(250), ['a'.repeat(50)]])(
  'an entry with every field changed stays within its bound',
  (value) => {
    const changed = Object.fromEntries(fields.map((field) => [field, { from: value, to: value }]))
    const told = deriveTold(changed, fields)
    expect(Object.keys(told ?? {})).toEqual(fields)
    expect(bytesOf(told)).toBeLessThan(8192 - 600 * 3)
  },
)

test('nothing to tell is nothing', () => expect(deriveTold({}, ['title'])).toBeUndefined())
