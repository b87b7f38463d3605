import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt, run, waitUntil } from '@crewhall/services/commands.ts'
import type { ContainerStorage } from '../image/container-storage.ts'
import { onlyCgroup2 } from './container-run.ts'

export interface PodmanService {
  /** For programs that speak to Docker. */
  readonly env: Record<string, string>
  podman(...args: string[]): Promise<string>
  close(): Promise<void>
}

/** Of a machine whose control groups cannot be shared out. */
export const podmanSettings = (networks: string): string => `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]
init_path = "/usr/bin/catatonit"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
[network]
network_backend = "cni"
network_config_dir = "${networks}"
`

/**
 * podman behind the interface of Docker, for the time of a drill. Without systemd nobody runs health checks, so they are run
 * here, one round after the other.
 */
export async function startPodman(storage: ContainerStorage): Promise<PodmanService> {
  const socket = join(storage.folder, 'podman.sock')
  const conf = join(storage.folder, 'containers.conf')
  const networks = join(storage.folder, 'networks')
  mkdirSync(networks, { recursive: true })
  rmSync(socket, { force: true })
  writeFileSync(conf, podmanSettings(`${networks}/`))
  const env = { ...storage.env, CONTAINERS_CONF: conf, DOCKER_HOST: `unix://${socket}` }
  const pidFile = join(storage.folder, 'podman.pid')
  await endLeft(pidFile, socket, env)
  const child = spawn(
    'unshare',
    [
      ...['--mount', 'bash', '-c', onlyCgroup2, '_'],
      ...['podman', '--log-level=error', 'system', 'service', '--time=0', `unix://${socket}`],
    ],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  writeFileSync(pidFile, String(child.pid))
  let said = ''
  child.stderr.on('data', (bytes) => (said = `${said}${bytes}`.slice(-4000)))
  if (!(await waitUntil(() => existsSync(socket), 30_000))) throw new Error(`podman did not start:\n${said}`)
  const remote = ['--remote', '--url', `unix://${socket}`]
  const podman = (...args: string[]) => run('podman', [...remote, ...args], { env })
  let isOver = false
  const checking = (async () => {
    while (!isOver) {
      const { output } = await attempt('podman', [...remote, 'ps', '--quiet'], { env })
      for (const id of output.trim().split('\n').filter(Boolean)) {
        if (isOver) return
        await attempt('podman', [...remote, 'healthcheck', 'run', id], { env })
      }
      await sleep(500)
    }
  })()
  return {
    env,
    podman,
    async close() {
      isOver = true
      await checking
      child.kill('SIGTERM')
      rmSync(pidFile, { force: true })
    },
  }
}

/** A drill that was killed leaves its service, in whose mounts alone the networks of its containers can be found. */
async function endLeft(pidFile: string, socket: string, env: Record<string, string>): Promise<void> {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0
  const command = `/proc/${pid}/cmdline`
  if (pid === 0 || !existsSync(command) || !readFileSync(command, 'utf8').includes(socket)) return
  const remove = ['podman', 'rm', '--all', '--force', '--time', '2']
  await attempt('nsenter', ['--target', String(pid), '--mount', ...remove], { env })
  process.kill(pid, 'SIGTERM')
}
