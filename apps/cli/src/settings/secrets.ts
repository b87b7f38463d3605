import { join } from 'node:path'
import { z } from 'zod'
import { failed } from '../failure.ts'
import { keyringOf } from './keyring.ts'
import { textOf, writePrivately } from './profiles.ts'

const Secrets = z.record(
  z.string(),
  z.union([z.object({ token: z.string() }), z.object({ keyring: z.literal(true) })]),
)
type Secrets = z.infer<typeof Secrets>

const fileOf = (config_dir: string): string => join(config_dir, 'credentials.json')

async function readAll(config_dir: string): Promise<Secrets> {
  const text = await textOf(fileOf(config_dir))
  if (text === undefined) return {}
  try {
    return Secrets.parse(JSON.parse(text))
  } catch {
    throw failed(`${fileOf(config_dir)} cannot be read; remove it and sign in again`)
  }
}

const writeAll = (config_dir: string, secrets: Secrets): Promise<void> =>
  writePrivately(fileOf(config_dir), `${JSON.stringify(secrets, null, 2)}\n`)

export async function readSecret(config_dir: string, profile: string): Promise<string | undefined> {
  const secrets = await readAll(config_dir)
  const kept = Object.hasOwn(secrets, profile) ? secrets[profile] : undefined
  if (!kept) return undefined
  return 'token' in kept ? kept.token : keyringOf(process.platform)?.read(profile)
}

/** In the keyring of the system where there is one, else in a file; returns which. */
export async function keepSecret(
  config_dir: string,
  profile: string,
  token: string,
): Promise<'keyring' | 'file'> {
  const secrets = await readAll(config_dir)
  const isInKeyring = (await keyringOf(process.platform)?.keep(profile, token)) === true
  await writeAll(config_dir, { ...secrets, [profile]: isInKeyring ? { keyring: true } : { token } })
  return isInKeyring ? 'keyring' : 'file'
}

export async function forgetSecret(config_dir: string, profile: string): Promise<void> {
  const { [profile]: kept, ...rest } = await readAll(config_dir)
  if (!kept) return
  if ('keyring' in kept) await keyringOf(process.platform)?.forget(profile)
  await writeAll(config_dir, rest)
}
