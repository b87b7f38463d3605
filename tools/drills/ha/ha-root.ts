import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt, type Outcome } from '@crewhall/services/commands.ts'
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

/** All that a program has of an environment, but for what it is given. */
const environment = [
  ...['env', '-i', `PATH=${bin}:/usr/sbin:/usr/bin:/bin`],
  ...['HOME=/mnt', 'LC_ALL=C.UTF-8', 'TZ=UTC'],
] as const

// The folder of the drill is /mnt inside. Each step is an exec, so the process that was started is the program itself;
// mounts end with it. Patroni fails in every round without a /dev/shm that PostgreSQL may write to.
const enter = `set -e; root=$1 work=$2 shipped=$3 user=$4; shift 4
mount --bind "$work" "$root/mnt"; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,size=1g tmpfs "$root/dev/shm"; mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/usr/local/lib/crewhall" "$root/run/postgresql"
[ -s "$root/etc/hosts" ] || echo "127.0.0.1 localhost" > "$root/etc/hosts"
mount --bind "$shipped" "$root/usr/local/lib/crewhall"; chroot "$root" chown postgres:postgres /run/postgresql; cd /
exec chroot --userspec="$user" "$root" ${environment.join(' ')} "$@"`

interface Inside {
  readonly env?: Record<string, string>
  readonly user?: string
}

/** Starts a program of the Debian, with its output in a file. */
export function startInside(
  work: string,
  log: string,
  args: readonly string[],
  inside: Inside = {},
): ChildProcess {
  const sink = openSync(log, 'a')
  // A session of its own: a key pressed at the terminal ends the drill, and the drill ends its parts in order.
  const options = { stdio: ['ignore', sink, sink], detached: true } satisfies SpawnOptions
  const child = spawn('unshare', argumentsOf(work, args, inside), options)
  closeSync(sink)
  return child
}

/** A command in the same Debian, apart from all that runs. */
export const runInside = (
  work: string,
  args: readonly string[],
  { input = '', ...inside }: Inside & { input?: string } = {},
): Promise<Outcome> => attempt('unshare', argumentsOf(work, args, inside), { input })

/** A command with the mounts of a program that was started inside: with its sockets. */
export const runBeside = (
  { pid }: ChildProcess,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Outcome> =>
  attempt('nsenter', [
    ...[`--mount=/proc/${pid}/ns/mnt`, 'chroot', '--userspec=postgres:postgres', folderOf(debian)],
    ...[...environment, ...lines(env), ...args],
  ])

const lines = (env: Record<string, string>) => Object.entries(env).map(([name, value]) => `${name}=${value}`)

const argumentsOf = (
  work: string,
  args: readonly string[],
  { env = {}, user = 'postgres:postgres' }: Inside,
): string[] => [
  ...['--mount', '--propagation', 'private', 'bash', '-c', enter, 'enter'],
  ...[folderOf(debian), work, shipped, user, ...lines(env), ...args],
]
