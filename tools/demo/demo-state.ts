import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { repositoryRoot } from '@crewhall/services/facts.ts'

/** What a demo has to remember to find its workspace again, and nothing else. */
export interface DemoState {
  readonly base_url: string
  readonly brand_id: number
  /** Part of every address, so that two demos never share a mailbox. */
  readonly tag: string
  readonly email: string
  readonly password: string
  /** Of its boards, by key. */
  readonly boards: Readonly<Record<string, string>>
}

/** One for each server, because each has workspaces of its own. */
export const stateFileFor = (base_url: string): string =>
  resolve(repositoryRoot, '.cache/demo', `${new URL(base_url).host.replaceAll(/[^\w.-]/g, '-')}.json`)

export function readState(file: string): DemoState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read; remove it to begin with a new workspace`, { cause: error })
  }
}

/** Holds a password, so nobody else may read it. */
export function writeState(file: string, state: DemoState): void {
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
}
