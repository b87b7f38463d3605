import { hash, randomBytes, randomInt } from 'node:crypto'
import { userCodeLength, userCodeLetters } from '@crewhall/contracts/identity/device.ts'
import { tokenOf } from './tokens/token-format.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 178 random bits. */
export const newToken = (): string =>
  tokenOf(Array.from({ length: 30 }, () => alphabet[randomInt(62)] ?? '').join(''))

/** For sessions and links by mail: 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** For a person to type: 34 random bits, which is why it is good for minutes and a few tries. */
export const newUserCode = (): string =>
  Array.from({ length: userCodeLength }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('')

/** What is kept of a secret. They are random, so a fast digest without salt is as good as a slow one. */
export const digestOf = (secret: string): string => hash('sha256', secret)
