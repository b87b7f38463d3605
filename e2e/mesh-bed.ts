import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerDesk, sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { type TestNetwork, useNetworks } from '@crewhall/testkit/hosts/test-network.ts'
import { type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { type TestServer, useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll } from 'vitest'

export const openPort = 8443
export const hubAddress = 'fd63:7265:7768:0::1'
const udpPort = 51820

const newPair = () => {
  const { privateKey } = generateKeyPairSync('x25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  return { private_key: Buffer.from(d, 'base64url').toString('base64'), public_key: x }
}

/** `wg` finds devices in user space by their name alone, over all namespaces. */
export const newDevice = () => `w${randomBytes(4).toString('hex')}`

export const toWg = (key: string): string => Buffer.from(key, 'base64url').toString('base64')

/** A desk in a network of its own, with the key and the address that the hub knows it by. */
export interface MeshDesk {
  readonly network: TestNetwork
  readonly device: string
  readonly desk_id: string
  readonly key: string
  readonly address: string
}

export interface Member {
  readonly brand_id: number
  readonly cookie: string
}

/** A server with a hub whose network is its own, and desks around it. */
export class MeshBed {
  readonly server: TestServer
  readonly device = newDevice()
  readonly #networks = useNetworks()
  readonly #folder = mkdtempSync(join(tmpdir(), 'mesh-'))
  readonly #pair = newPair()
  readonly #settings: Record<string, string> = {
    MESH_HUB_PUBLIC_KEY: this.#pair.public_key,
    MESH_DEVICE: this.device,
    DESK_NETWORKS: '127.0.0.0/8',
  }
  readonly #started: ServerProcess[] = []
  #hubNetwork: TestNetwork | undefined
  #hub: ServerProcess | undefined
  #worker: ServerProcess | undefined

  constructor(settings: Record<string, string> = {}) {
    Object.assign(this.#settings, settings)
    // Before the server, which has to know where the hub is.
    beforeAll(async () => {
      this.#hubNetwork = await this.#networks.make()
      this.#settings.MESH_HUB_ENDPOINT = `${this.network.address}:${udpPort}`
    })
    this.server = useServer('product', this.#settings)
    afterAll(() => Promise.all(this.#started.map((process) => process.kill())))
  }

  get network(): TestNetwork {
    if (!this.#hubNetwork) throw new Error('there is a hub only while tests run')
    return this.#hubNetwork
  }

  get hub(): ServerProcess {
    if (!this.#hub) throw new Error('the hub was not started')
    return this.#hub
  }

  async startHub(env: Record<string, string> = {}): Promise<ServerProcess> {
    this.#hub = await this.#startHub(this.network, env)
    return this.#hub
  }

  /** A second one with the same key, on another machine. */
  async startOtherHub(): Promise<{ network: TestNetwork; device: string; ready: Promise<ServerProcess> }> {
    const [network, device] = [await this.#networks.make(), newDevice()]
    return { network, device, ready: this.#startHub(network, { MESH_DEVICE: device }) }
  }

  #startHub(network: TestNetwork, env: Record<string, string>): Promise<ServerProcess> {
    const file = join(this.#folder, 'hub.key')
    writeFileSync(file, this.#pair.private_key, { mode: 0o600 })
    return this.#start('apps/server/src/hub.ts', { MESH_HUB_PRIVATE_KEY_FILE: file, ...env }, network)
  }

  /** Beside the hub, where it reaches desks: it checks how they are. */
  async startWorker(intervalMs = 2000): Promise<void> {
    await this.#startWorker(this.network, intervalMs)
  }

  /** On a machine of its own. */
  async startWorkerElsewhere(): Promise<void> {
    await this.#startWorker(await this.#networks.make(), 2000)
  }

  get worker(): ServerProcess {
    if (!this.#worker) throw new Error('the worker was not started')
    return this.#worker
  }

  async #startWorker(network: TestNetwork, intervalMs: number): Promise<void> {
    const env = { DESK_CHECK_INTERVAL_MS: String(intervalMs) }
    this.#worker = await this.#start('apps/server/src/worker.ts', env, network)
  }

  async #start(entry: string, env: Record<string, string>, network = this.network): Promise<ServerProcess> {
    const { redis } = readServiceFacts()
    const { url } = this.server.database
    const process = await startProcess({
      entry,
      database_url: url,
      namespace: network.id,
      env: {
        ...this.#settings,
        DATABASE_URL: await network.reach(url),
        REDIS_URL: await network.reach(redis.url),
        MESH_API_URL: await network.reach(this.server.api.url),
        MESH_GATE_DIR: join(this.#folder, 'gate'),
        METRICS_PORT: '0',
        ...env,
      },
    })
    this.#started.push(process)
    return process
  }

  /** What a machine does that loses its power: neither the hub nor its device is there any more. */
  async loseHub(): Promise<void> {
    await this.hub.kill()
    await this.network.attempt('ip', 'link', 'delete', this.device)
    // The process behind it ends a moment later, and its socket with it.
    await waitFor(async () => (await this.network.attempt('wg', 'show', this.device)).code !== 0, 10_000)
  }

  async newMember(): Promise<Member> {
    const world = new World(this.server)
    const { brand_id, person_id } = await world.join(await world.newBrand(), 'member')
    const key = `plan_of_${brand_id}`
    await world.sql(
      `with plan as (
         insert into identity.plans (key, name, features, desk_cap, source_cap)
         values ($1, $1, '{machines}', 100, 1))
       select`,
      [key],
    )
    await world.sql('update identity.brands set plan_key = $2 where id = $1', [brand_id, key])
    return { brand_id, cookie: await world.newCookie(person_id, brand_id) }
  }

  call(member: Member, method: string, path: string, body?: object): Promise<Response> {
    return this.server.get(`/api/v1${path}`, {
      method,
      headers: { cookie: member.cookie, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  }

  async order(member: Member): Promise<{ workstation_id: string; pat: string }> {
    const ordered = await this.call(member, 'POST', '/workstations', { name: 'Desk' })
    return (await ordered.json()) as { workstation_id: string; pat: string }
  }

  /** A network for a machine, and where the service is, seen from there. */
  async newPlace(): Promise<{ network: TestNetwork; server_url: string }> {
    const network = await this.#networks.make()
    return { network, server_url: await network.reach(this.server.api.url) }
  }

  /** Ordered and registered, without a machine. */
  async register(
    member: Member,
    wg_pub: string,
  ): Promise<{ desk_id: string; address: string; caller: DeskCaller }> {
    const { workstation_id, pat } = await this.order(member)
    const desk = new DeskCaller(workstation_id, pat)
    const { sidecar_url: _, ...example } = registerDesk.example.body
    const body = JSON.stringify({ ...example, env_id: workstation_id, wg_pub })
    const headers = { 'content-type': 'application/json', ...desk.headersFor(registerDesk, body) }
    const response = await this.server.get(registerDesk.path, { method: 'POST', headers, body })
    const { mesh } = (await response.json()) as { mesh: { address: string } }
    return { desk_id: workstation_id, address: mesh.address, caller: desk }
  }

  /** The status of a beat. */
  async beat(by: DeskCaller, more: object = {}, created = Math.floor(Date.now() / 1000)): Promise<number> {
    const body = JSON.stringify({ ...sendBeat.example.body, ...more })
    const headers = { 'content-type': 'application/json', ...by.headersFor(sendBeat, body, { created }) }
    return (await this.server.get(sendBeat.path, { method: 'POST', headers, body })).status
  }

  /** Registered, and on the network; it takes and sends whatever the hub lets through. */
  async join(member: Member): Promise<MeshDesk> {
    const network = await this.#networks.make()
    const [pair, device] = [newPair(), newDevice()]
    const { desk_id, address } = await this.register(member, pair.public_key)
    const file = join(this.#folder, `${desk_id}.key`)
    writeFileSync(file, pair.private_key, { mode: 0o600 })
    network.start('wireguard-go', '--foreground', device)
    await waitFor(async () => (await network.attempt('wg', 'show', device)).code === 0, 60_000)
    const endpoint = `${this.network.address}:${udpPort}`
    const peer = ['peer', toWg(this.#pair.public_key), 'allowed-ips', 'fd63:7265:7768::/48']
    await network.run('wg', 'set', device, 'private-key', file, ...peer, 'endpoint', endpoint)
    await network.run('ip', '-6', 'address', 'add', `${address}/128`, 'dev', device, 'nodad')
    await network.run('ip', 'link', 'set', device, 'up')
    await network.run('ip', '-6', 'route', 'add', 'fd63:7265:7768::/48', 'dev', device)
    return { network, device, desk_id, key: pair.public_key, address }
  }

  /** Keys of the peers that the device has. */
  async peers(): Promise<string[]> {
    const lines = await this.network.run('wg', 'show', this.device, 'peers')
    return lines.trim().split('\n').filter(Boolean)
  }
}

/** For replies that have to come: on a slow machine they are late, and not lost. */
export const late = ['-W', '10']

/** How many of so many echo requests were replied to. */
export async function pings(
  from: TestNetwork,
  to: string,
  count: number,
  ...more: string[]
): Promise<number> {
  const { output } = await from.attempt(
    ...(['ping', '-6', '-n', '-q', '-c', String(count), '-i', '0.01', '-W', '1', ...more, to] as const),
  )
  return Number(/(\d+) received/.exec(output)?.[1] ?? 0)
}
