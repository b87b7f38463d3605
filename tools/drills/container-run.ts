import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerStorage } from '../image/container-storage.ts'

export interface ContainerOrder {
  readonly image: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Each becomes a file that the setting `NAME_FILE` names. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly name?: string
}

export interface RunningContainer {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  output(): string
}

/** podman wants to see nothing but version 2 of control groups, which a namespace of mounts can show it. */
export const onlyCgroup2 = 'umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec "$@"'

/** As strictly as an operator can: no capability, nothing to write to but /tmp in memory, no new rights. */
const strict = [
  '--rm',
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  '--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=64m',
  '--network=host',
  '--cgroups=disabled',
  '--pull=never',
  '--ulimit=nofile=20000:20000',
  '--ulimit=nproc=20000:20000',
]

export function startContainer(storage: ContainerStorage, order: ContainerOrder): RunningContainer {
  const { image, args, env = {}, secrets = {}, name } = order
  const given = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  const child = spawn(
    'unshare',
    [
      '--mount',
      'bash',
      '-c',
      onlyCgroup2,
      '_',
      'podman',
      '--cgroup-manager=cgroupfs',
      '--runtime=crun',
      'run',
      ...strict,
      ...(name ? ['--name', name] : []),
      ...given,
      ...secretFiles(storage, secrets),
      image,
      ...args,
    ],
    { env: { ...process.env, ...storage.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, output: () => output }
}

/** Of the images. */
const user = 10_001

/** The user of the image may read them, and nobody else but root. */
function secretFiles({ folder }: ContainerStorage, secrets: Readonly<Record<string, string>>): string[] {
  if (Object.keys(secrets).length === 0) return []
  mkdirSync(folder, { recursive: true })
  const place = mkdtempSync(join(folder, 'secrets-'))
  chownSync(place, user, user)
  const options = ['--volume', `${place}:/run/secrets:ro`]
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(place, name), `${value}\n`, { mode: 0o400 })
    chownSync(join(place, name), user, user)
    options.push('--env', `${name}_FILE=/run/secrets/${name}`)
  }
  return options
}
