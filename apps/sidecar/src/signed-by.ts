import { createPublicKey, verify } from 'node:crypto'

/** Whether the text was signed with the Ed25519 key, which is 32 bytes in base64url; the signature is so too. */
export function isSignedBy(key: string, text: string, signature: string): boolean {
  try {
    const object = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' })
    return verify(null, Buffer.from(text), object, Buffer.from(signature, 'base64url'))
  } catch {
    // Not every text of this length is a key.
    return false
  }
}
