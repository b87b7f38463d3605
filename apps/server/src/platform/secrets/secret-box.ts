import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type KeyRing, keyIdBytes } from '#platform/secrets/key-ring.ts'
import { type Resealed, resealTable, type SealedTable } from '#platform/secrets/reseal.ts'

/** Encrypts secrets that have to be used again and so cannot be stored as digests. */
export interface SecretBox {
  /** `place` names whose secret it is, such as `webhook:12:…`; it opens there and nowhere else. */
  seal(place: string, secret: string): Buffer
  /** Undefined when it was sealed with a key that is not on the ring, or for another place. */
  open(place: string, sealed: Buffer): string | undefined
  /** Re-encrypts with the current key; undefined if already done, or if it cannot be decrypted. */
  reseal(place: string, sealed: Buffer): Buffer | undefined
  /** The same for all values of a table. */
  resealTable<Row>(table: SealedTable<Row>): Promise<Resealed>
  /** Whether there may be values to re-encrypt. */
  readonly has_other_keys: boolean
}

const nonceBytes = 12
const tagBytes = 16

export function createSecretBox(ring: KeyRing): SecretBox {
  const { current, find, has_others } = ring.keysFor('secret-box')

  function seal(place: string, secret: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', current.bytes, nonce).setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([current.id, nonce, cipher.getAuthTag(), sealed])
  }

  function open(place: string, sealed: Buffer): string | undefined {
    const key = find(sealed.subarray(0, keyIdBytes))
    const rest = sealed.subarray(keyIdBytes)
    const nonce = rest.subarray(0, nonceBytes)
    const tag = rest.subarray(nonceBytes, nonceBytes + tagBytes)
    if (!key || tag.length !== tagBytes) return undefined
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce)
      .setAAD(Buffer.from(place))
      .setAuthTag(tag)
    try {
      const opened = decipher.update(rest.subarray(nonceBytes + tagBytes))
      return Buffer.concat([opened, decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }

  function reseal(place: string, sealed: Buffer): Buffer | undefined {
    if (sealed.subarray(0, keyIdBytes).equals(current.id)) return undefined
    const secret = open(place, sealed)
    return secret === undefined ? undefined : seal(place, secret)
  }

  const box = { seal, open, reseal, has_other_keys: has_others }
  return { ...box, resealTable: (table) => resealTable(box, table) }
}
