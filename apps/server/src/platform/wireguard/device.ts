import { existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '#platform/log/log.ts'
import { guardMesh } from '#platform/wireguard/guards.ts'
import { type RunCommand, runCommand } from '#platform/wireguard/run-command.ts'
import { changeWords, type DevicePeer, type PeerChange, parseDump } from '#platform/wireguard/wg-lines.ts'

export interface DeviceOptions {
  readonly name: string
  /** Of the hub, with the length of the network. */
  readonly address: string
  readonly listen_port: number
  readonly private_key_file: string
  /** The one port that peers may reach here. */
  readonly open_port: number
  /** The network namespace that holds the device and nothing else; it is made if it is missing. */
  readonly namespace: string | undefined
  readonly log: Log
}

/** As many as fit into the arguments of a command with room to spare. */
const peersAtOnce = 500
/** Of a program that starts in moments, on a machine that has none to spare. */
const userSpaceLimitMs = 60_000
const goneLimitMs = 10_000

/** The one WireGuard device of a hub, in the kernel or, where that cannot, in user space. */
export class WireGuardDevice {
  readonly #options: DeviceOptions
  #isReady = false

  constructor(options: DeviceOptions) {
    this.#options = options
  }

  /** Whether it had to be made or taken over, so that nothing is known about its peers. */
  async ensure(): Promise<boolean> {
    const { name, address, listen_port, private_key_file, log } = this.#options
    const exists = await this.#exists()
    if (exists && this.#isReady) return false
    this.#isReady = false
    if (!exists) await this.#make()
    // Before it is up: nothing passes that is not guarded.
    await this.guard()
    await this.#run('wg', ['set', name, 'listen-port', String(listen_port), 'private-key', private_key_file])
    await this.#run('ip', ['-6', 'address', 'replace', address, 'dev', name, 'nodad'])
    await this.#run('ip', ['link', 'set', name, 'up'])
    this.#isReady = true
    log.info({ device: name, is_taken_over: exists }, 'the device of the hub is up')
    return true
  }

  guard(): Promise<void> {
    const { name, open_port } = this.#options
    return guardMesh((...command) => this.#run(...command), name, open_port)
  }

  async publicKey(): Promise<string> {
    const key = await this.#run('wg', ['show', this.#options.name, 'public-key'])
    return Buffer.from(key, 'base64').toString('base64url')
  }

  async listPeers(): Promise<DevicePeer[]> {
    return parseDump(await this.#run('wg', ['show', this.#options.name, 'dump']))
  }

  /** In this order. What is there already stays as it is. */
  async change(changes: readonly PeerChange[]): Promise<void> {
    for (let from = 0; from < changes.length; from += peersAtOnce) {
      const words = changes.slice(from, from + peersAtOnce).flatMap(changeWords)
      await this.#run('wg', ['set', this.#options.name, ...words])
    }
  }

  async remove(): Promise<void> {
    const { name } = this.#options
    this.#isReady = false
    if (!(await this.#exists())) return
    await this.#run('ip', ['link', 'delete', name])
    // In user space, whoever comes next would find the socket of a process that is about to end.
    const until = performance.now() + goneLimitMs
    while ((await this.#isConfigurable()) && performance.now() < until) await setTimeout(50)
  }

  readonly #run: RunCommand = (program, args, options) => {
    const { namespace } = this.#options
    return namespace === undefined
      ? runCommand(program, args, options)
      : runCommand('ip', ['netns', 'exec', namespace, program, ...args], options)
  }

  async #exists(): Promise<boolean> {
    const { name, namespace } = this.#options
    if (namespace === undefined) return hasDevice(name)
    if (!existsSync(`/run/netns/${namespace}`)) return false
    return (await this.#run('cat', ['/proc/self/net/dev'])).includes(`${name}:`)
  }

  #isConfigurable(): Promise<boolean> {
    return this.#run('wg', ['show', this.#options.name, 'listen-port']).then(
      () => true,
      () => false,
    )
  }

  /** Made here, so that its packets come and go here, and moved to where only peers are. */
  async #make(): Promise<void> {
    const { name, namespace } = this.#options
    // One may have been made and not moved.
    if (!hasDevice(name)) await this.#makeHere()
    if (namespace === undefined) return
    if (!existsSync(`/run/netns/${namespace}`)) await runCommand('ip', ['netns', 'add', namespace])
    await runCommand('ip', ['link', 'set', name, 'netns', namespace])
  }

  async #makeHere(): Promise<void> {
    const { name, log } = this.#options
    try {
      await runCommand('ip', ['link', 'add', name, 'type', 'wireguard'])
    } catch (error) {
      log.info({ error }, 'the kernel has no WireGuard; it runs in user space')
      await this.#makeInUserSpace()
    }
  }

  /**
   * A process of its own that outlives this one: tunnels stay while the hub is replaced. It goes into the background when
   * the device is there and until then says what is wrong, so its error has the reason.
   */
  async #makeInUserSpace(): Promise<void> {
    const { name } = this.#options
    const options = { limit_ms: userSpaceLimitMs }
    await runCommand('setsid', ['wireguard-go', name], options)
    // It looks the device up after that, and ends if it was moved away meanwhile. Once it responds, it has.
    await runCommand('wg', ['show', name, 'listen-port'], options)
  }
}

/** Read anew each time: it is of the network namespace that this process is in, as /sys may not be. */
const hasDevice = (name: string): boolean =>
  readFileSync('/proc/self/net/dev', 'utf8')
    .split('\n')
    .some((line) => line.trimStart().startsWith(`${name}:`))
