import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, run, tailOf, waitUntil } from '@crewhall/services/commands.ts'
import { addressOf, gatewayOf, makeNetwork, removeNetwork } from '@crewhall/testkit/hosts/host-network.ts'
import { inspectImage } from '../image/build-image.ts'
import type { ContainerStorage } from '../image/container-storage.ts'

export interface DockerService {
  /** For programs that speak to Docker. */
  readonly env: Record<string, string>
  /** Where the ports are that containers publish. */
  readonly address: string
  /** Where the machine of the drill is for containers that have a way out. */
  readonly gateway: string
  docker(...args: string[]): Promise<string>
  /** Images as buildah has them, unless they are there. */
  load(images: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Of the daemon, so that its firewall and its bridges are none of the machine's. */
const namespace = 'crewhall-docker'

/** The daemon of Debian, for the time of a drill, with files and a network of its own. */
export async function startDocker(storage: ContainerStorage): Promise<DockerService> {
  const folder = join(storage.folder, 'docker')
  const socket = join(folder, 'docker.sock')
  const pidFile = join(folder, 'docker.pid')
  mkdirSync(folder, { recursive: true })
  await endLeft(pidFile)
  rmSync(socket, { force: true })
  const network = await makeNetwork(namespace)
  const log = join(folder, 'log')
  const output = openSync(log, 'w')
  const places = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'run')]
  // Its mounts end with it.
  const apart = [`--net=/run/netns/${namespace}`, 'unshare', '--mount']
  const command = ['dockerd', ...places, '--pidfile', pidFile, '--host', `unix://${socket}`]
  const child = spawn('nsenter', [...apart, ...command], { stdio: ['ignore', output, output] })
  closeSync(output)
  const ended = once(child, 'close')
  const env = { DOCKER_HOST: `unix://${socket}` }
  const docker = (...args: string[]) => run('docker', args, { env })
  const close = async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
    await removeNetwork(namespace, network.line)
  }
  const answers = async () => (await attempt('docker', ['version'], { env })).code === 0
  if (!(await waitUntil(() => child.exitCode !== null || answers(), 60_000)) || child.exitCode !== null) {
    await close()
    throw new Error(`docker did not start:\n${tailOf(log)}`)
  }
  return {
    env,
    address: addressOf(network),
    gateway: gatewayOf(network),
    docker,
    close,
    load: (images) => load(storage, docker, images),
  }
}

/** A drill that was killed leaves its daemon, which ends its containers when it is told to. */
async function endLeft(pidFile: string): Promise<void> {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0
  const command = `/proc/${pid}/cmdline`
  const isLeft = () => existsSync(command) && readFileSync(command, 'utf8').includes(pidFile)
  if (isLeft()) {
    process.kill(pid, 'SIGTERM')
    await waitUntil(() => !isLeft(), 60_000)
  }
  await removeNetwork(namespace, undefined)
}

async function load(
  storage: ContainerStorage,
  docker: DockerService['docker'],
  images: readonly string[],
): Promise<void> {
  const missing: string[] = []
  for (const name of images) {
    const { id } = await inspectImage(storage, name)
    const there = await docker('image', 'inspect', '--format', '{{.Id}}', name).catch(() => '')
    if (there.trim() !== `sha256:${id}`) missing.push(name)
  }
  if (missing.length === 0) return
  const file = join(storage.folder, 'images.tar')
  rmSync(file, { force: true })
  try {
    // One file, so that layers that several of them have are in it once.
    const options = ['--quiet', '--multi-image-archive', '--format', 'docker-archive', '--output', file]
    await run('podman', ['save', ...options, ...missing], { env: storage.env })
    await docker('load', '--quiet', '--input', file)
    // What had these names before.
    await docker('image', 'prune', '--force')
  } finally {
    rmSync(file, { force: true })
  }
}
