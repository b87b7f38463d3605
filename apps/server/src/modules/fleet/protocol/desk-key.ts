import { createPublicKey, hash, verify } from 'node:crypto'

const bytesOf = (public_key: string): Buffer => Buffer.from(public_key, 'base64url')

/** Names a key: its SHA-256 in hex. */
export const fingerprintOf = (public_key: string): string => hash('sha256', bytesOf(public_key))

/** Several texts may stand for the same bytes; this is the one that is stored. */
export const plainKey = (public_key: string): string => bytesOf(public_key).toString('base64url')

/** Whether the text was signed with the Ed25519 key; `signature` is in base64. */
export function isSignedBy(public_key: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: public_key }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  } catch {
    // Not every text of this length is a key.
    return false
  }
}
