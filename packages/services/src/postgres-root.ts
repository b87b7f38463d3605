import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.ts'
import { run, tailOf } from './commands.ts'
import { debianKeyring, findDebianMirror } from './debian-mirror.ts'
import { isRoot } from './debian-packages.ts'
import { withLock } from './file-lock.ts'

export const postgresBin = '/usr/lib/postgresql/17/bin'
const vectorControl = '/usr/share/postgresql/17/extension/vector.control'

const name = 'postgres-17-trixie'
const builtRoot = join(cacheDir, name)

const holdsPostgres = (root: string): boolean =>
  existsSync(join(root, postgresBin, 'postgres')) && existsSync(join(root, vectorControl))

/** `/` where the machine itself has PostgreSQL 17 with pgvector, otherwise a folder that holds a Debian 13. */
export const postgresRoot = holdsPostgres('/') ? '/' : builtRoot

export const postgresPackages = holdsPostgres(postgresRoot) ? [] : ['mmdebstrap']

/** Builds the folder once for all checkouts of this user; the machine itself is not changed. */
export async function ensurePostgresRoot(): Promise<void> {
  if (holdsPostgres(postgresRoot)) return
  if (!isRoot)
    throw new Error(
      'PostgreSQL 17 with pgvector is missing. Install the packages postgresql-17 and postgresql-17-pgvector, ' +
        'or build them into a folder with: sudo npm run services -- up postgres',
    )
  await withLock(join(cacheDir, `${name}.lock`), async () => {
    if (!holdsPostgres(builtRoot)) await build()
  })
}

async function build(): Promise<void> {
  console.log(`building ${builtRoot} (once, about a minute)`)
  // We hold the lock, so any other draft was left by a builder that died.
  for (const entry of readdirSync(cacheDir))
    if (entry.startsWith(`${name}.draft-`)) rmSync(join(cacheDir, entry), { recursive: true })
  const draft = join(cacheDir, `${name}.draft-${process.pid}`)
  const logFile = join(cacheDir, `${name}.log`)
  mkdirSync(cacheDir, { recursive: true })
  const options = [
    '--variant=minbase',
    '--include=postgresql-17,postgresql-17-pgvector',
    `--keyring=${debianKeyring}`,
    // A mirror may be a snapshot that is kept for years; the signatures are checked all the same.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    '--dpkgopt=path-exclude=/usr/share/doc/*',
    '--dpkgopt=path-exclude=/usr/share/man/*',
    '--setup-hook=mkdir -p "$1/etc/postgresql-common"',
    '--setup-hook=echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"',
  ]
  try {
    await run('mmdebstrap', [...options, 'trixie', draft, await findDebianMirror()], { logFile })
  } catch (error) {
    throw new Error(`PostgreSQL could not be built (${logFile}):\n${tailOf(logFile)}`, { cause: error })
  }
  rmSync(builtRoot, { recursive: true, force: true })
  renameSync(draft, builtRoot)
}
