import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { findServiceFacts, readServiceFacts, stateDir, writeServiceFacts } from '@crewhall/services/facts.ts'

interface Release {
  readonly version: string
  readonly commit: string
  readonly last_migration: number
}

export const root = resolve(import.meta.dirname, '../../..')
const releases = JSON.parse(readFileSync(join(root, 'apps/server/releases.json'), 'utf8')) as Release[]
export const previous = releases.at(-1) as Release

/** Why the last release cannot be had here, or nothing. */
export async function obstacleToPrevious(): Promise<string | undefined> {
  if (!findServiceFacts()) return 'the services are not up: npm run services -- up'
  const { code } = await attempt('git', ['-C', root, 'cat-file', '-e', `${previous.commit}^{commit}`])
  return code === 0 ? undefined : `this clone has no commit ${previous.commit} (version ${previous.version})`
}

/** The last release with its packages, beside this one and on the same services. */
export async function withPrevious(work: (folder: string) => Promise<void>): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'crewhall-previous-'))
  const folder = join(place, 'checkout')
  await run('git', ['-C', root, 'worktree', 'add', '--detach', folder, previous.commit])
  try {
    // Also where ours are described by a file elsewhere, of which an old version knows nothing.
    mkdirSync(stateDir(folder))
    writeServiceFacts(folder, readServiceFacts())
    // Nothing is asked of the registry that the cache can answer: the gate has installed most of it a moment ago.
    await run('npm', ['--prefix', folder, 'ci', '--prefer-offline', '--no-audit', '--no-fund'])
    await work(folder)
  } finally {
    await run('git', ['-C', root, 'worktree', 'remove', '--force', folder])
    rmSync(place, { recursive: true, force: true })
  }
}
