import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSignedWith, parseSigned } from '#platform/http/request/signed-body.ts'

const hmac = (secret: string, bytes: Uint8Array) =>
  `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
const secrets = fc.string({ minLength: 1 })
const bodies = fc.uint8Array()

test('a body is signed with its secret, and with no other', () => {
  fc.assert(
    fc.property(secrets, secrets, bodies, (secret, other, bytes) => {
      const headers = { 'x-hub-signature-256': hmac(secret, bytes) }
      expect(isSignedWith(secret, headers, bytes)).toBe(true)
      expect(isSignedWith(`${secret}${other}`, headers, bytes)).toBe(false)
      expect(isSignedWith(secret, headers, Buffer.concat([bytes, Buffer.from([0])]))).toBe(false)
      expect(isSignedWith(undefined, headers, bytes)).toBe(false)
    }),
  )
})

test('the example of GitHub is signed', () => {
  const headers = {
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  }
  expect(isSignedWith("It's a Secret to Everybody", headers, Buffer.from('Hello, World!'))).toBe(true)
})

test('a token is the secret itself, and counts only where there is no signature', () => {
  const bytes = Buffer.from('{}')
  expect(isSignedWith('abc', { 'x-gitlab-token': 'abc' }, bytes)).toBe(true)
  expect(isSignedWith('abc', { 'x-gitlab-token': 'ab' }, bytes)).toBe(false)
  expect(isSignedWith('abc', { 'x-gitlab-token': 'abc', 'x-hub-signature-256': '' }, bytes)).toBe(false)
  expect(isSignedWith(undefined, { 'x-gitlab-token': '' }, bytes)).toBe(false)
  expect(isSignedWith('abc', {}, bytes)).toBe(false)
})

test('JSON is read as it is or from a form, and anything else is nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const expected = value === null ? undefined : JSON.parse(text)
      expect(parseSigned(Buffer.from(text))).toEqual(expected)
      if (value !== null)
        expect(parseSigned(Buffer.from(`a=1&payload=${encodeURIComponent(text)}`))).toEqual(expected)
    }),
  )
  fc.assert(
    fc.property(bodies, (bytes) => {
      expect(() => parseSigned(Buffer.from(bytes))).not.toThrow()
    }),
  )
})
