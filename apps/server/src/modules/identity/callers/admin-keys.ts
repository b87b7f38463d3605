import { createHash, timingSafeEqual } from 'node:crypto'

/** Digests of the keys that are valid now; several, so that one can be replaced without a gap. */
export type AdminKeys = readonly Buffer[]

export const adminKeysOf = (digests: readonly string[]): AdminKeys =>
  digests.map((digest) => Buffer.from(digest, 'hex'))

/** Every key is compared, and each comparison takes the same time whatever was sent. */
export function isAdminKey(keys: AdminKeys, given: string): boolean {
  const digest = createHash('sha256').update(given).digest()
  return keys.filter((key) => timingSafeEqual(key, digest)).length > 0
}
