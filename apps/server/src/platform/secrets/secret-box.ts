import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps secrets that have to be used again, and so cannot be kept as digests. */
export interface SecretBox {
  /** `place` names whose secret it is, such as `webhook:12:…`; it opens there and nowhere else. */
  seal(place: string, secret: string): Buffer
  /** Undefined when it was sealed with another key or for another place. */
  open(place: string, sealed: Buffer): string | undefined
}

const nonceBytes = 12
const tagBytes = 16

export function createSecretBox(secret: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, 'crewhall', 'secret-box', 32))
  return {
    seal(place, secret) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(place, sealed) {
      const nonce = sealed.subarray(0, nonceBytes)
      const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes)
      if (tag.length !== tagBytes) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag)
      try {
        const opened = decipher.update(sealed.subarray(nonceBytes + tagBytes))
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}
