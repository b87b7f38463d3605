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
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip, type ZlibOptions } from 'node:zlib'
import { NodeProgram, NpmPackage, SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { bundleBase, bundleKeyBase, nodeBase, npmBase } from '@crewhall/contracts/fleet/signature.ts'

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
    sha256: sha256Of(code),
  }
  const bundle = SidecarBundle.parse({ ...facts, ...(await vouchFor(keyFile, bundleBase(facts))) })
  await replace(join(folder, 'sidecar.json'), `${JSON.stringify(bundle, null, 2)}\n`)
  return bundle
}

/**
 * Writes `node-linux-<arch>.gz` and what is signed of it. The program is not run: it may be of another kind of machine, so
 * its version is told.
 */
export async function signNode(
  folder: string,
  keyFile: string,
  node: { readonly arch: string; readonly version: string; readonly file: string; readonly level?: number },
): Promise<NodeProgram> {
  const program = await readFile(node.file)
  const packed = await promisify<Buffer, ZlibOptions, Buffer>(gzip)(program, { level: node.level ?? 9 })
  const name = join(folder, `node-linux-${node.arch}`)
  const facts = {
    version: node.version,
    arch: node.arch,
    bytes: packed.length,
    sha256: sha256Of(packed),
    program_sha256: sha256Of(program),
  }
  const known = NodeProgram.parse({ ...facts, ...(await vouchFor(keyFile, nodeBase(facts))) })
  await replace(`${name}.gz`, packed)
  await replace(`${name}.json`, `${JSON.stringify(known, null, 2)}\n`)
  return known
}

/** Writes `npm.tgz`, a package of npm as `npm pack npm` leaves it, and what is signed of it. */
export async function signNpm(
  folder: string,
  keyFile: string,
  { version, file }: { readonly version: string; readonly file: string },
): Promise<NpmPackage> {
  const packed = await readFile(file)
  const facts = { version, bytes: packed.length, sha256: sha256Of(packed) }
  const known = NpmPackage.parse({ ...facts, ...(await vouchFor(keyFile, npmBase(facts))) })
  await replace(join(folder, 'npm.tgz'), packed)
  await replace(join(folder, 'npm.json'), `${JSON.stringify(known, null, 2)}\n`)
  return known
}

/** The signature, and what says whose it is. */
async function vouchFor(keyFile: string, text: string): Promise<SignedKey & { readonly signature: string }> {
  const signature = signed(await openKey(keyFile), text)
  return { signature, ...(JSON.parse(await readFile(certificateOf(keyFile), 'utf8')) as SignedKey) }
}

/** A service that reads it meanwhile sees the old or the new one. */
async function replace(file: string, content: string | Uint8Array): Promise<void> {
  const beside = join(dirname(file), `.${basename(file)}.new`)
  await writeFile(beside, content)
  await rename(beside, file)
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const signed = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64url')
