import { expect, test } from 'vitest'
import { createSecretBox } from '#platform/secrets/secret-box.ts'

const box = createSecretBox('the key of an installation')

test('a secret comes out as it went in', () => {
  for (const secret of ['', 'whsec_abc', 'ünïcödé']) {
    expect(box.open('webhook:1:a', box.seal('webhook:1:a', secret))).toBe(secret)
  }
})

test('a secret opens neither at another place nor with another key', () => {
  const sealed = box.seal('webhook:1:a', 'secret')
  expect(box.open('webhook:2:a', sealed)).toBe(undefined)
  expect(createSecretBox('another key').open('webhook:1:a', sealed)).toBe(undefined)
})

test('a sealed secret of which any byte was changed does not open', () => {
  const sealed = box.seal('webhook:1:a', 'secret')
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(box.open('webhook:1:a', changed)).toBe(undefined)
  }
  expect(box.open('webhook:1:a', sealed.subarray(0, 20))).toBe(undefined)
})

test('the same secret is sealed differently each time', () => {
  expect(box.seal('a', 'secret').equals(box.seal('a', 'secret'))).toBe(false)
})
