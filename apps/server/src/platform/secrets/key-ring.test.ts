import { expect, test } from 'vitest'
import { createKeyRing } from './key-ring.ts'
import { createKeyedDigests } from './keyed-digests.ts'

const ring = createKeyRing('one-key', ['another-key'])

test('S15: each purpose has a key of its own, and the id tells nothing of it', () => {
  const [a, b] = [ring.keysFor('cursor').current, ring.keysFor('secret-box').current]
  expect(a.bytes.equals(b.bytes)).toBe(false)
  expect(a.id.equals(b.id)).toBe(true)
  expect(a.bytes.includes(a.id)).toBe(false)
})

test('the current key listed among the accepted ones is one key', () => {
  expect(createKeyRing('one-key', ['one-key']).keysFor('cursor').has_others).toBe(false)
})

test('S15: a digest holds for its text and purpose, by any key of the ring and by no other', () => {
  const digest = createKeyedDigests(ring, 'answers').of('text')
  const read = (other: typeof ring, purpose = 'answers', text = 'text') =>
    createKeyedDigests(other, purpose).matches(text, digest)
  expect(read(ring)).toBe(true)
  expect(read(createKeyRing('another-key', ['one-key']))).toBe(true)
  expect(read(createKeyRing('another-key'))).toBe(false)
  expect(read(ring, 'cursor')).toBe(false)
  expect(read(ring, 'answers', 'texts')).toBe(false)
  expect(createKeyedDigests(ring, 'answers').matches('text', digest.subarray(0, 20))).toBe(false)
})
