import { expect, test } from 'vitest'
import { createKeyRing } from '#platform/secrets/key-ring.ts'
import { createSecretBox } from '#platform/secrets/secret-box.ts'

const [oldKey, newKey] = ['the-key-of-an-installation', 'the-next-key-of-it']
const box = createSecretBox(createKeyRing(oldKey))

test('a secret comes out as it went in', () => {
  for (const secret of ['', 'whsec_abc', 'ünïcödé']) {
    expect(box.open('webhook:1:a', box.seal('webhook:1:a', secret))).toBe(secret)
  }
})

test('a secret opens neither at another place nor with another key', () => {
  const sealed = box.seal('webhook:1:a', 'secret')
  expect(box.open('webhook:2:a', sealed)).toBe(undefined)
  expect(createSecretBox(createKeyRing(newKey)).open('webhook:1:a', sealed)).toBe(undefined)
})

test('a sealed secret of which any byte was changed does not open', () => {
  const sealed = box.seal('webhook:1:a', 'secret')
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(box.open('webhook:1:a', changed)).toBe(undefined)
  }
  expect(box.open('webhook:1:a', sealed.subarray(0, 26))).toBe(undefined)
})

test('the same secret is sealed differently each time', () => {
  expect(box.seal('a', 'secret').equals(box.seal('a', 'secret'))).toBe(false)
})

test('S15: through a rotation old secrets open, are sealed anew once, and then need the old key no more', () => {
  const sealed = box.seal('webhook:1:a', 'secret')
  const rotated = createSecretBox(createKeyRing(newKey, [oldKey]))
  expect([box.has_other_keys, rotated.has_other_keys]).toEqual([false, true])
  expect(rotated.open('webhook:1:a', sealed)).toBe('secret')
  const anew = rotated.reseal('webhook:1:a', sealed)
  if (!anew) throw new Error('not sealed anew')
  expect(rotated.reseal('webhook:1:a', anew)).toBe(undefined)
  expect(createSecretBox(createKeyRing(newKey)).open('webhook:1:a', anew)).toBe('secret')
  expect(box.open('webhook:1:a', anew)).toBe(undefined)
})

test('what cannot be opened is not sealed anew', () => {
  const sealed = box.seal('webhook:1:a', 'secret')
  const stranger = createSecretBox(createKeyRing(newKey))
  expect(stranger.reseal('webhook:1:a', sealed)).toBe(undefined)
})
