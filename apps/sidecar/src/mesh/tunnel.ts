import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { MeshPlace } from '../state/desk-record.ts'
import { runProgram } from './run-program.ts'

interface TunnelOptions {
  readonly device: string
  readonly place: MeshPlace
}

const goneLimitMs = 10_000

/** This desk's end of the private network: a WireGuard device, in the kernel or in user space, whose one peer is the hub. */
export class Tunnel {
  readonly #options: TunnelOptions

  constructor(options: TunnelOptions) {
    this.#options = options
  }

  async isThere(): Promise<boolean> {
    const devices = await readFile('/proc/self/net/dev', 'utf8')
    return devices.split('\n').some((line) => line.trimStart().startsWith(`${this.#options.device}:`))
  }

  /**
   * With this private key in base64, which goes to WireGuard on this machine and nowhere else. The hub is called at once, its
   * name is looked up anew, and what was agreed with it before is forgotten; connections over the tunnel stay.
   */
  async raise(private_key: string): Promise<void> {
    const { device, place } = this.#options
    const hub = toWg(place.hub_key)
    if (!(await this.isThere())) await this.#make()
    await runProgram(
      'sh',
      [
        // `wg` opens its input by name, which the socket that Node gives to programs cannot be; the pipe of a shell can.
        ...['-c', 'cat | wg "$@"', 'wg', 'set', device, 'private-key', '/dev/stdin'],
        ...['peer', hub, 'remove'],
      ],
      private_key,
    )
    await runProgram('wg', [
      ...['set', device, 'peer', hub, 'allowed-ips', place.allowed_ips.join(',')],
      // It is the desk that calls: nobody gets to it from outside.
      ...['endpoint', place.hub_endpoint, 'persistent-keepalive', String(place.keepalive_s)],
    ])
    await ip('-6', 'address', 'replace', `${place.address}/128`, 'dev', device, 'nodad')
    await ip('link', 'set', device, 'up')
    for (const network of place.allowed_ips) await ip('-6', 'route', 'replace', network, 'dev', device)
  }

  /** Also what an earlier process has left, which may have been of another desk. */
  async lower(): Promise<void> {
    const { device } = this.#options
    if (!(await this.isThere())) return
    await ip('link', 'delete', device)
    // In user space, the next one would find the socket of a process that is about to end.
    const until = performance.now() + goneLimitMs
    const isConfigurable = () =>
      runProgram('wg', ['show', device, 'listen-port']).then(
        () => true,
        () => false,
      )
    while ((await isConfigurable()) && performance.now() < until) await setTimeout(50)
  }

  /** Of the last handshake with the hub, in seconds since 1970; null if there was none. */
  async handshakeAt(): Promise<number | null> {
    const lines = await runProgram('wg', ['show', this.#options.device, 'latest-handshakes'])
    return Number(lines.trim().split('\t')[1] ?? 0) || null
  }

  async #make(): Promise<void> {
    const { device } = this.#options
    try {
      await ip('link', 'add', device, 'type', 'wireguard')
    } catch {
      // It goes into the background when the device is there, and until then says what is wrong.
      await runProgram('setsid', ['wireguard-go', device])
    }
  }
}

const ip = (...args: string[]): Promise<string> => runProgram('ip', args)

const toWg = (key: string): string => Buffer.from(key, 'base64url').toString('base64')
