import { hash, randomBytes, randomInt } from 'node:crypto'

/** 256 random bits behind a prefix that scanners of secrets can find. */
export const newJoinSecret = (): string => `dsk_${randomBytes(32).toString('base64url')}`

/** What is kept of it. It is random, so a fast digest without salt is as good as a slow one. */
export const digestOf = (secret: string): string => hash('sha256', secret)

/** Without letters that are taken for digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Names a desk to people: 40 random bits. */
export const newShortId = (): string =>
  Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('')
