import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { commandBase, commandKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import { expect, test } from 'vitest'
import { commandKeysOf } from './command-keys.ts'

const [old, recent] = [randomBytes(32), randomBytes(32)]
const [before, after] = [commandKeysOf([old]), commandKeysOf([recent, old])]

const isSigned = (text: string, signature: string, x: string): boolean =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  )

test('a desk that knows the old key gets commands signed by it, and the new key signed by it', () => {
  const command = after.sign('{}', before.current)
  expect(isSigned(commandBase('{}'), command.signature, before.current)).toBe(true)
  const renewal = after.renewalFor('desk', before.current)
  expect(renewal?.key).toBe(after.current)
  expect(isSigned(commandKeyBase('desk', after.current), renewal?.signature ?? '', before.current)).toBe(true)
})

test('a desk that knows the current key, and one that says nothing, gets no other', () => {
  for (const known of [after.current, undefined]) {
    expect(after.renewalFor('desk', known)).toBeUndefined()
    expect(isSigned(commandBase('{}'), after.sign('{}', known).signature, after.current)).toBe(true)
  }
})

test('for a key that is no longer accepted nothing can be signed: the desk has to join anew', () => {
  const withdrawn = commandKeysOf([recent])
  expect(withdrawn.renewalFor('desk', before.current)).toBeUndefined()
  expect(isSigned(commandBase('{}'), withdrawn.sign('{}', before.current).signature, before.current)).toBe(
    false,
  )
})
