import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere, removeIfThere, replaceFile } from './durable-file.ts'

/** Of this desk. They are made here and leave this machine in no form; what travels is the public half. */
export interface DeskKeys {
  /** Ed25519, 32 bytes in base64url: who this desk is. */
  readonly identity: string
  /** X25519, 32 bytes in base64url: its end of the mesh. */
  readonly mesh: string
  /** By the identity key, in base64. */
  sign(text: string): string
}

const filesIn = (folder: string) => ({
  identity: join(folder, 'identity.pem'),
  mesh: join(folder, 'mesh.pem'),
})

export async function openKeys(folder: string): Promise<DeskKeys> {
  const files = filesIn(folder)
  const identity = await openKey(files.identity, () => generateKeyPairSync('ed25519').privateKey)
  const mesh = await openKey(files.mesh, () => generateKeyPairSync('x25519').privateKey)
  return {
    identity: publicHalf(identity),
    mesh: publicHalf(mesh),
    sign: (text) => sign(null, Buffer.from(text), identity).toString('base64'),
  }
}

/** For keys that another machine has as well. */
export async function discardKeys(folder: string): Promise<void> {
  for (const path of Object.values(filesIn(folder))) await removeIfThere(path)
}

async function openKey(path: string, create: () => KeyObject): Promise<KeyObject> {
  const stored = await readIfThere(path)
  if (stored !== undefined) {
    await refuseIfShared(path)
    return createPrivateKey(stored)
  }
  const key = create()
  await replaceFile(path, key.export({ type: 'pkcs8', format: 'pem' }).toString())
  return key
}

/** A key that others could read may be theirs as well. */
async function refuseIfShared(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by others: its mode has to be 600`)
}

function publicHalf(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  if (x === undefined) throw new Error('the file holds a key of another kind')
  return x
}
