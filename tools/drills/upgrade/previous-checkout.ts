import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { findServiceFacts } from '@crewhall/services/facts.ts'

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
    symlinkSync(join(root, '.services'), join(folder, '.services'))
    await run('npm', ['--prefix', folder, 'ci'])
    await work(folder)
  } finally {
    await run('git', ['-C', root, 'worktree', 'remove', '--force', folder])
    rmSync(place, { recursive: true, force: true })
  }
}
