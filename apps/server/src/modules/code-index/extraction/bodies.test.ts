import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bodies } from './bodies.ts'

/** The same, said plainly. Stored digests were made by it. */
function plainDigest(text: string, name: string): string | null {
  const plain = text.replace(/\s+/g, ' ')
  if (plain.length <= 60) return null
  const masked = /^\w+$/.test(name) ? plain.replace(new RegExp(`\\b${name}\\b`, 'g'), '\0') : plain
  return hash('sha256', masked, 'hex').slice(0, 32)
}

test('digests of parts are those of their texts alone', () => {
  const piece = fc.constantFrom(
    'find',
    'find2',
    '_find',
    ' ',
    '\n\t ',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '(',
    '$',
    'é',
    '😀',
    'a',
  )
  const random = fc.record({
    text: fc.array(piece, { minLength: 20, maxLength: 200 }).map((pieces) => pieces.join('')),
    start: fc.nat({ max: 100 }),
    length: fc.nat({ max: 400 }),
    name: fc.constantFrom('find', 'a', '#find', 'é', ''),
  })
  fc.assert(
    fc.property(random, ({ text, start, length, name }) => {
      const end = Math.min(text.length, start + length)
      const bodies = new Bodies(text)
      expect(bodies.digest(start, end, name)).toBe(plainDigest(text.slice(start, end), name))
      expect(bodies.digest(0, text.length, name)).toBe(plainDigest(text, name))
    }),
    { numRuns: 500 },
  )
})
