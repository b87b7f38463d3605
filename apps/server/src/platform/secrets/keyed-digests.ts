import { createHmac, timingSafeEqual } from 'node:crypto'
import { type KeyRing, keyIdBytes } from '#platform/secrets/key-ring.ts'

/** Digests that nobody without the key can make or guess from. Each names its key, so it outlives a rotation. */
export interface KeyedDigests {
  of(text: string): Buffer
  /** Whether `digest` is of this very text, by the current key or one that is still accepted. */
  matches(text: string, digest: Buffer): boolean
}

export function createKeyedDigests(ring: KeyRing, purpose: string): KeyedDigests {
  const keys = ring.keysFor(purpose)
  const digestBy = (key: typeof keys.current, text: string): Buffer =>
    Buffer.concat([key.id, createHmac('sha256', key.bytes).update(text).digest()])
  return {
    of: (text) => digestBy(keys.current, text),
    matches(text, digest) {
      const key = keys.find(digest.subarray(0, keyIdBytes))
      if (!key) return false
      const right = digestBy(key, text)
      return right.length === digest.length && timingSafeEqual(right, digest)
    },
  }
}
