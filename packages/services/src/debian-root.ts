import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.ts'
import { run, tailOf } from './commands.ts'
import { debianKeyring, findDebianMirror } from './debian-mirror.ts'
import { withLock } from './file-lock.ts'
import { preparing } from './preparation.ts'

export interface DebianRoot {
  /** Of the folder in the cache. */
  readonly name: string
  readonly suite: string
  readonly packages: readonly string[]
  /** Further options of mmdebstrap. */
  readonly options?: readonly string[]
  /** Whether a folder holds what was asked for. */
  isWhole(folder: string): boolean
}

export const folderOf = ({ name }: DebianRoot): string => join(cacheDir, name)

/** Builds a Debian in a folder, once for all checkouts of this user; the machine itself is not changed. */
export async function ensureDebianRoot(root: DebianRoot): Promise<void> {
  const folder = folderOf(root)
  if (root.isWhole(folder)) return
  await withLock(`${folder}.lock`, async () => {
    if (!root.isWhole(folder)) await preparing(() => build(root, folder))
  })
}

async function build({ name, suite, packages, options = [] }: DebianRoot, folder: string): Promise<void> {
  console.log(`building ${folder} (once, about a minute)`)
  // We hold the lock, so any other draft was left by a builder that died.
  for (const entry of readdirSync(cacheDir))
    if (entry.startsWith(`${name}.draft-`)) rmSync(join(cacheDir, entry), { recursive: true })
  const draft = `${folder}.draft-${process.pid}`
  const logFile = `${folder}.log`
  mkdirSync(cacheDir, { recursive: true })
  const all = [
    '--variant=minbase',
    `--include=${packages.join(',')}`,
    `--keyring=${debianKeyring}`,
    // A mirror may be a snapshot that is kept for years; the signatures are checked all the same.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    // A draft that the machine did not survive is built again.
    '--dpkgopt=force-unsafe-io',
    '--dpkgopt=path-exclude=/usr/share/doc/*',
    '--dpkgopt=path-exclude=/usr/share/man/*',
    ...options,
  ]
  try {
    await run('mmdebstrap', [...all, suite, draft, await findDebianMirror()], { logFile })
  } catch (error) {
    throw new Error(`${name} could not be built (${logFile}):\n${tailOf(logFile)}`, { cause: error })
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
}
