import { crc32 } from 'node:zlib'

const prefix = 'chp_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^chp_[0-9A-Za-z]{36}$/

/** Thirty random characters and six that check them: a scanner knows a real token without asking us. */
export const tokenOf = (random: string): string => `${prefix}${random}${checksumOf(random)}`

/** Whether it can be a token at all. What cannot is refused before any query. */
export function isToken(text: string): boolean {
  return form.test(text) && text.slice(34) === checksumOf(text.slice(4, 34))
}

function checksumOf(random: string): string {
  let rest = crc32(prefix + random)
  let text = ''
  for (let place = 0; place < 6; place += 1) {
    text = (alphabet[rest % 62] ?? '') + text
    rest = Math.floor(rest / 62)
  }
  return text
}
