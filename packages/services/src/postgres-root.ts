import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from './debian-packages.ts'
import { type DebianRoot, ensureDebianRoot, folderOf } from './debian-root.ts'

export const postgresBin = '/usr/lib/postgresql/17/bin'
const vectorControl = '/usr/share/postgresql/17/extension/vector.control'

const holdsPostgres = (root: string): boolean =>
  existsSync(join(root, postgresBin, 'postgres')) && existsSync(join(root, vectorControl))

const debian: DebianRoot = {
  name: 'postgres-17-trixie',
  suite: 'trixie',
  packages: ['postgresql-17', 'postgresql-17-pgvector'],
  options: [
    '--setup-hook=mkdir -p "$1/etc/postgresql-common"',
    '--setup-hook=echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"',
  ],
  isWhole: holdsPostgres,
}

/** `/` where the machine itself has PostgreSQL 17 with pgvector, otherwise a folder that holds a Debian 13. */
export const postgresRoot = holdsPostgres('/') ? '/' : folderOf(debian)

export const postgresPackages = holdsPostgres(postgresRoot) ? [] : ['mmdebstrap']

export async function ensurePostgresRoot(): Promise<void> {
  if (holdsPostgres(postgresRoot)) return
  if (!isRoot)
    throw new Error(
      'PostgreSQL 17 with pgvector is missing. Install the packages postgresql-17 and postgresql-17-pgvector, ' +
        'or build them into a folder with: sudo npm run services -- up postgres',
    )
  await ensureDebianRoot(debian)
}
