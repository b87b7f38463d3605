import { expect, test } from 'vitest'
import { hashOfNobody, hashPassword, isPassword } from './password-hash.ts'

test('a hash of nobody looks and costs like that of a password, differs each time, and no password has it', async () => {
  const shapeOf = (hash: string) =>
    hash.split('$').map((part, at) => (at < 4 ? part : Buffer.from(part, 'base64').length))
  const somebody = await hashPassword('a password')
  expect(shapeOf(hashOfNobody())).toEqual(shapeOf(somebody))
  expect(hashOfNobody()).not.toBe(hashOfNobody())
  expect(await isPassword('a password', hashOfNobody())).toBe(false)
  expect(await isPassword('', hashOfNobody())).toBe(false)
  expect(await isPassword('a password', somebody)).toBe(true)
})
