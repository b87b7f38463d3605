import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { cacheDir } from '@crewhall/services/cache-dir.ts'
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
  mkdirSync(cacheDir, { recursive: true })
  // Not in the folder for temporary files, so that packages can be moved instead of copied.
  const place = mkdtempSync(join(cacheDir, 'previous-checkout-'))
  const folder = join(place, 'checkout')
  await run('git', ['-C', root, 'worktree', 'add', '--detach', folder, previous.commit])
  try {
    // Also where ours are described by a file elsewhere, of which an old version knows nothing.
    mkdirSync(stateDir(folder))
    writeServiceFacts(folder, readServiceFacts())
    await withPackages(folder, join(place, 'packages'), work)
  } finally {
    await run('git', ['-C', root, 'worktree', 'remove', '--force', folder])
    rmSync(place, { recursive: true, force: true })
  }
}

const packages = join(cacheDir, `previous-packages-${previous.commit.slice(0, 12)}-${process.arch}`)

/** Installing them costs as much as some tests, so one checkout hands them on to the next; two at once have their own. */
async function withPackages(
  folder: string,
  handed: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  if (isMoved(packages, handed)) movePackages(handed, folder)
  else await run('npm', ['--prefix', folder, 'ci', '--prefer-offline', '--no-audit', '--no-fund'])
  try {
    await work(folder)
  } finally {
    movePackages(folder, handed)
    isMoved(handed, packages)
    const older = globSync('previous-packages-*', { cwd: cacheDir }).map((name) => join(cacheDir, name))
    for (const each of older) if (each !== packages) rmSync(each, { recursive: true, force: true })
  }
}

/** Only one can take a folder, and only one can put it where nothing is. */
function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Those of the root, and what parts have besides. */
function movePackages(from: string, to: string): void {
  for (const name of globSync(['node_modules', '{apps,packages}/*/node_modules'], { cwd: from })) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    renameSync(join(from, name), join(to, name))
  }
}
