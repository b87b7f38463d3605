import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRoot } from '@crewhall/services/debian-packages.ts'
import { type DebianRoot, ensureDebianRoot, folderOf } from '@crewhall/services/debian-root.ts'
import { findServiceFacts } from '@crewhall/services/facts.ts'

const bin = '/usr/lib/postgresql/17/bin'
/** What an operator copies to /usr/local/lib/crewhall. */
const shipped = resolve(import.meta.dirname, '../../../deploy/production')

const debian: DebianRoot = {
  name: 'ha-17-trixie',
  suite: 'trixie',
  packages: [
    'postgresql-17',
    'postgresql-17-pgvector',
    'patroni',
    'python3-etcd',
    'etcd-server',
    'haproxy',
    'pgbouncer',
    'pgbackrest',
  ],
  options: [
    '--setup-hook=mkdir -p "$1/etc/postgresql-common"',
    '--setup-hook=echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"',
  ],
  isWhole: (folder) =>
    ['usr/bin/patroni', 'usr/bin/etcd', 'usr/sbin/haproxy', 'usr/sbin/pgbouncer', `${bin}/postgres`].every(
      (file) => existsSync(join(folder, file)),
    ),
}

export const ensureHaRoot = (): Promise<void> => ensureDebianRoot(debian)

/** Why a cluster cannot be started here, or nothing. */
export async function obstacleToHa(): Promise<string | undefined> {
  if (!isRoot) return 'it needs root, for a Debian in a folder'
  if (!findServiceFacts()) return 'the services are not up: npm run services -- up'
  try {
    await ensureHaRoot()
    return undefined
  } catch (error) {
    return `Patroni and its parts cannot be had: ${(error as Error).message.split('\n', 1)[0]}`
  }
}

/** Of the user postgres inside. */
export const postgresUser = () => statSync(join(folderOf(debian), 'var/lib/postgresql'))

// The folder of the drill is /mnt inside. Each step is an exec, so the process that was started is the program itself;
// mounts end with it. Patroni fails in every round without a /dev/shm that PostgreSQL may write to.
const enter = `set -e; root=$1 work=$2 shipped=$3 user=$4; shift 4
mount --bind "$work" "$root/mnt"; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,size=1g tmpfs "$root/dev/shm"; mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/usr/local/lib/crewhall" "$root/run/postgresql"
mount --bind "$shipped" "$root/usr/local/lib/crewhall"; chroot "$root" chown postgres:postgres /run/postgresql; cd /
exec chroot --userspec="$user" "$root" env -i PATH=${bin}:/usr/sbin:/usr/bin:/bin HOME=/mnt LC_ALL=C.UTF-8 TZ=UTC "$@"`

/** Starts a program of the Debian, with its output in a file. `env` is all that it has of an environment. */
export function startInside(
  work: string,
  log: string,
  args: readonly string[],
  { env = {}, user = 'postgres:postgres' }: { env?: Record<string, string>; user?: string } = {},
): ChildProcess {
  const sink = openSync(log, 'a')
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const options = ['--mount', '--propagation', 'private', 'bash', '-c', enter, 'enter']
  const child = spawn(
    'unshare',
    [...options, folderOf(debian), work, shipped, user, ...settings, ...args],
    // A session of its own: a key pressed at the terminal ends the drill, and the drill ends its parts in order.
    { stdio: ['ignore', sink, sink], detached: true },
  )
  closeSync(sink)
  return child
}
