import { hkdfSync } from 'node:crypto'

interface Key {
  /** Six bytes stored with everything the key signed or encrypted. They reveal nothing about the key. */
  readonly id: Buffer
  readonly bytes: Buffer
}

/** The keys of one purpose, which no other purpose has. */
export interface PurposeKeys {
  /** The one that signs and seals. */
  readonly current: Key
  /** The current one first. */
  readonly all: readonly Key[]
  find(id: Buffer): Key | undefined
  /** Whether values may still be encrypted with a key other than the current one. */
  readonly has_others: boolean
}

/** What the installation signs and seals with: one key that does, and others that are still, or already, accepted. */
export interface KeyRing {
  keysFor(purpose: string): PurposeKeys
}

export const keyIdBytes = 6

const derive = (secret: string, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'crewhall', purpose, bytes))

export function createKeyRing(current: string, accepted: readonly string[] = []): KeyRing {
  const secrets = [current, ...accepted.filter((secret) => secret !== current)]
  return {
    keysFor(purpose) {
      const keyOf = (secret: string): Key => ({
        id: derive(secret, 'key-id', keyIdBytes),
        bytes: derive(secret, purpose, 32),
      })
      const keys = new Map(secrets.map(keyOf).map((key) => [key.id.toString('hex'), key]))
      return {
        current: keyOf(current),
        all: [...keys.values()],
        find: (id) => keys.get(id.toString('hex')),
        has_others: keys.size > 1,
      }
    },
  }
}
