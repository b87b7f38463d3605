import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere, replaceFile } from './durable-file.ts'

export interface IdentityKey {
  /** Raw, 32 bytes in base64url. */
  readonly public_key: string
  sign(text: string): string
}

const fileName = 'identity.pem'

/** The key that says who this desk is. It is made here and leaves this machine in no form. */
export async function openIdentityKey(folder: string): Promise<IdentityKey> {
  const path = join(folder, fileName)
  const stored = await readIfThere(path)
  if (stored !== undefined) {
    await refuseIfShared(path)
    return identityOf(createPrivateKey(stored))
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  await replaceFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return identityOf(privateKey)
}

/** A key that others could read may be theirs as well. */
async function refuseIfShared(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by others: its mode has to be 600`)
}

function identityOf(key: KeyObject): IdentityKey {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  if (x === undefined) throw new Error('the identity key is no Ed25519 key')
  return { public_key: x, sign: (text) => sign(null, Buffer.from(text), key).toString('base64url') }
}
