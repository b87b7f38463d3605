import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { readIfThere, replaceFile } from './durable-file.ts'

/** Undefined if there is none. */
export async function readKey(path: string): Promise<KeyObject | undefined> {
  const stored = await readIfThere(path)
  if (stored === undefined) return undefined
  await refuseIfShared(path)
  return createPrivateKey(stored)
}

export async function openKey(path: string, create: () => KeyObject): Promise<KeyObject> {
  const stored = await readKey(path)
  if (stored !== undefined) return stored
  const key = create()
  await replaceFile(path, key.export({ type: 'pkcs8', format: 'pem' }).toString())
  return key
}

/** A key that others could read may be theirs as well. */
async function refuseIfShared(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by others: its mode has to be 600`)
}

export function publicHalf(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  if (x === undefined) throw new Error('the file holds a key of another kind')
  return x
}
