import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { environmentOfChild } from '../environment.ts'
import { failed } from '../failure.ts'
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
  return 'token' in kept ? kept.token : keyring()?.read(profile)
}

/** In the keyring of the system where there is one, else in a file; returns which. */
export async function keepSecret(
  config_dir: string,
  profile: string,
  token: string,
): Promise<'keyring' | 'file'> {
  const secrets = await readAll(config_dir)
  const isInKeyring = (await keyring()?.keep(profile, token)) === true
  await writeAll(config_dir, { ...secrets, [profile]: isInKeyring ? { keyring: true } : { token } })
  return isInKeyring ? 'keyring' : 'file'
}

export async function forgetSecret(config_dir: string, profile: string): Promise<void> {
  const { [profile]: kept, ...rest } = await readAll(config_dir)
  if (!kept) return
  if ('keyring' in kept) await keyring()?.forget(profile)
  await writeAll(config_dir, rest)
}

interface Keyring {
  keep(profile: string, token: string): Promise<boolean>
  read(profile: string): Promise<string | undefined>
  forget(profile: string): Promise<void>
}

/** Programs rather than a library: native code cannot be part of one file. A token is never one of their arguments. */
function keyring(): Keyring | undefined {
  if (process.platform !== 'linux') return undefined
  const of = (profile: string) => ['service', 'crewhall', 'profile', profile]
  return {
    keep: (profile, token) => told('secret-tool', ['store', '--label=Crewhall', ...of(profile)], token),
    read: (profile) => said('secret-tool', ['lookup', ...of(profile)]),
    forget: async (profile) => {
      await said('secret-tool', ['clear', ...of(profile)])
    },
  }
}

const limit_ms = 5000

async function said(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      timeout: limit_ms,
      env: environmentOfChild(),
    })
    return stdout.trim() || undefined
  } catch {
    return undefined
  }
}

/** Whether the program took what it was told. One that is not there, or has no keyring to talk to, did not. */
function told(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: limit_ms,
      env: environmentOfChild(),
    })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
