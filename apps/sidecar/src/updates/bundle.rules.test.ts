import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { bundleBase, bundleKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import { expect, test } from 'vitest'
import { faultOfBundle, nextFloor } from './bundle.rules.ts'

const publicHalf = (key: KeyObject) => String(key.export({ format: 'jwk' }).x)
const signed = (key: KeyObject, text: string) => sign(null, Buffer.from(text), key).toString('base64url')
const [root, signing] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
const root_key = publicHalf(root.publicKey)
const key = publicHalf(signing.publicKey)
const facts = { version: '0.2.10', floor: '0.2.9', bytes: 10, sha256: 'a'.repeat(64) }
const bundle: SidecarBundle = {
  ...facts,
  signature: signed(signing.privateKey, bundleBase(facts)),
  key,
  key_signature: signed(root.privateKey, bundleKeyBase(key)),
}

test('a bundle that the root key vouches for is taken', () => {
  expect(faultOfBundle(bundle, { root_key, floor: null })).toBeUndefined()
})

test.each([
  ['version', '0.2.11'],
  ['floor', '0.0.1'],
  ['bytes', 11],
  ['sha256', 'b'.repeat(64)],
  ['signature', signed(root.privateKey, 'something else')],
  ['key', publicHalf(generateKeyPairSync('ed25519').publicKey)],
  ['key_signature', signed(signing.privateKey, bundleKeyBase(key))],
  ['key', '_'.repeat(43)],
])('with another %s (%s) it is refused', (field, value) => {
  expect(faultOfBundle({ ...bundle, [field]: value }, { root_key, floor: null })).toBeDefined()
})

test('a desk with another root key refuses it', () => {
  const other = publicHalf(generateKeyPairSync('ed25519').publicKey)
  expect(faultOfBundle(bundle, { root_key: other, floor: null })).toContain('root key')
})

test.each([
  ['0.2.9', true],
  ['0.2.10', true],
  ['0.2.11', false],
  ['0.10.0', false],
])('where the floor is %s it is taken: %s', (floor, isTaken) => {
  expect(faultOfBundle(bundle, { root_key, floor }) === undefined).toBe(isTaken)
})

test('the floor rises and never falls', () => {
  expect(nextFloor(null, bundle)).toBe('0.2.9')
  expect(nextFloor('0.2.8', bundle)).toBe('0.2.9')
  expect(nextFloor('0.2.10', bundle)).toBe('0.2.10')
})
