import { generateKeyPairSync, sign } from 'node:crypto'
import { join } from 'node:path'
import { removeIfThere } from './durable-file.ts'
import { openKey, publicHalf } from './key-file.ts'
import { MeshKeys } from './mesh-keys.ts'

/** Of this desk. They are made here and leave this machine in no form; what travels is the public half. */
export interface DeskKeys {
  /** Ed25519, 32 bytes in base64url: who this desk is. */
  readonly identity: string
  /** Of its end of the mesh. */
  readonly mesh: MeshKeys
  /** By the identity key, in base64. */
  sign(text: string): string
}

const fileIn = (folder: string): string => join(folder, 'identity.pem')

export async function openKeys(folder: string): Promise<DeskKeys> {
  const identity = await openKey(fileIn(folder), () => generateKeyPairSync('ed25519').privateKey)
  return {
    identity: publicHalf(identity),
    mesh: await MeshKeys.open(folder),
    sign: (text) => sign(null, Buffer.from(text), identity).toString('base64'),
  }
}

/** For keys that another machine has as well. */
export async function discardKeys(folder: string): Promise<void> {
  await removeIfThere(fileIn(folder))
  await MeshKeys.discard(folder)
}
