import { promisify } from 'node:util'
import { environmentOfChild } from '../environment.ts'

interface Keyring {
  /** Whether it has the token now. */
  keep(profile: string, token: string): Promise<boolean>
  read(profile: string): Promise<string | undefined>
  forget(profile: string): Promise<void>
}

/**
 * The keyring of a system. Programs rather than a library: native code cannot be part of one file. A token is never one of
 * their arguments, which every process can read.
 */
export function keyringOf(platform: NodeJS.Platform, program?: string): Keyring | undefined {
  if (platform === 'linux') return ofLinux(program ?? 'secret-tool')
  return platform === 'darwin' ? ofMac(program ?? '/usr/bin/security') : undefined
}

function ofLinux(program: string): Keyring {
  const of = (profile: string) => ['service', 'crewhall', 'profile', profile]
  return {
    keep: (profile, token) => told(program, ['store', '--label=Crewhall', ...of(profile)], token),
    read: (profile) => said(program, ['lookup', ...of(profile)]),
    forget: async (profile) => {
      await said(program, ['clear', ...of(profile)])
    },
  }
}

function ofMac(program: string): Keyring {
  const of = (profile: string) => ['-s', 'crewhall', '-a', Buffer.from(profile).toString('hex')]
  const read = (profile: string) => said(program, ['find-generic-password', ...of(profile), '-w'])
  return {
    // It takes commands on standard input, and ends with 0 whatever became of them.
    keep: async (profile, token) => {
      const hex = Buffer.from(token).toString('hex')
      await told(program, ['-i'], `add-generic-password -U ${of(profile).join(' ')} -X ${hex}\n`)
      return (await read(profile)) === token
    },
    read,
    forget: async (profile) => {
      await said(program, ['delete-generic-password', ...of(profile)])
    },
  }
}

const limit_ms = 5000

async function said(program: string, args: readonly string[]): Promise<string | undefined> {
  const { execFile } = await import('node:child_process')
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
async function told(program: string, args: readonly string[], text: string): Promise<boolean> {
  const { spawn } = await import('node:child_process')
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
