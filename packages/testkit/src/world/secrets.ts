import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A token in its published form: `chp_`, thirty random characters, and the CRC-32 of both in base 62. */
export function madeToken(): string {
  const text = `chp_${Array.from(randomBytes(30), (byte) => alphabet[byte % 62]).join('')}`
  let rest = crc32(text)
  let sum = ''
  for (let place = 0; place < 6; place += 1) {
    sum = `${alphabet[rest % 62]}${sum}`
    rest = Math.floor(rest / 62)
  }
  return text + sum
}

/** All that is kept of a token or of the secret in a cookie. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')
