import { execFile } from 'node:child_process'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { bundleBase, bundleKeyBase } from '@crewhall/contracts/fleet/signature.ts'

interface SignedKey {
  readonly key: string
  /** By the root key. */
  readonly key_signature: string
}

const certificateOf = (keyFile: string): string => `${keyFile}.json`

/** A new key in a new file, which only its owner may read. */
export async function keepKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await writeFile(file, pem, { flag: 'wx', mode: 0o600 })
  return privateKey
}

export const openKey = async (file: string): Promise<KeyObject> => createPrivateKey(await readFile(file))

export const publicHalf = (key: KeyObject): string => String(createPublicKey(key).export({ format: 'jwk' }).x)

/** A new key that signs bundles, and beside it what the root key says of it. */
export async function signKey(file: string, root: KeyObject): Promise<SignedKey> {
  const key = publicHalf(await keepKey(file))
  const certificate = { key, key_signature: signed(root, bundleKeyBase(key)) }
  await writeFile(certificateOf(file), `${JSON.stringify(certificate, null, 2)}\n`)
  return certificate
}

/** Writes `sidecar.json` beside `sidecar.mjs`. The floor is the version itself unless an older one is named. */
export async function signBundle(folder: string, keyFile: string, floor?: string): Promise<SidecarBundle> {
  const file = join(folder, 'sidecar.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [file, 'version'])
  const code = await readFile(file)
  const version = stdout.trim()
  const facts = {
    version,
    floor: floor ?? version,
    bytes: code.length,
    sha256: createHash('sha256').update(code).digest('hex'),
  }
  const signature = signed(await openKey(keyFile), bundleBase(facts))
  const certificate = JSON.parse(await readFile(certificateOf(keyFile), 'utf8')) as SignedKey
  const bundle = SidecarBundle.parse({ ...facts, signature, ...certificate })
  // A service that reads it meanwhile sees the old or the new one.
  const beside = join(folder, '.sidecar.json.new')
  await writeFile(beside, `${JSON.stringify(bundle, null, 2)}\n`)
  await rename(beside, join(folder, 'sidecar.json'))
  return bundle
}

const signed = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64url')
