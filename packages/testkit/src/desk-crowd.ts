import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as signature from '@crewhall/contracts/fleet/signature.ts'
import type pg from 'pg'

interface Member {
  readonly id: string
  readonly key: KeyObject
  readonly public_key: string
  asked: number
}

export type CrowdMood =
  | 'well'
  /** Takes requests and returns nothing. */
  | 'silent'
  /** Returns an error. */
  | 'failing'
  /** Ends connections. */
  | 'broken'

/** Of Ed25519, before the 32 bytes that are the key. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Many desks in one process, each at a loopback address of its own and with a key of its own. They answer health checks as
 * sidecars do. Keys and ids follow from the name, so that two processes can make the same crowd.
 */
export class DeskCrowd {
  /** Of a desk, by its number and how often it was asked. */
  moodOf: (n: number, asked: number) => CrowdMood = () => 'well'
  readonly members: readonly Member[]
  connections = 0
  readonly #server: Server

  constructor(name: string, size: number) {
    this.members = Array.from({ length: size }, (_, n) => memberOf(`${name} ${n}`))
    this.#server = createServer({ keepAliveTimeout: 120_000 }, (request, response) =>
      this.#answer(request, response),
    )
    this.#server.on('connection', () => {
      this.connections += 1
    })
  }

  async listen(port = 0): Promise<number> {
    this.#server.listen({ port, host: '0.0.0.0', backlog: 4096 })
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get asked(): number {
    return this.members.reduce((total, { asked }) => total + asked, 0)
  }

  /** The fewest checks that one of them had. */
  get least_asked(): number {
    return this.members.reduce((least, { asked }) => Math.min(least, asked), Number.POSITIVE_INFINITY)
  }

  forgetAsked(): void {
    for (const member of this.members) member.asked = 0
  }

  /**
   * Their rows as registration leaves them, or as they are after an answer, spread over these workspaces; `admin` is a
   * connection as superuser.
   */
  async plant(
    admin: pg.Client,
    brand_ids: readonly number[],
    port: number,
    state: 'provisioning' | 'ready' = 'provisioning',
  ): Promise<void> {
    const brands = this.members.map((_, n) => brand_ids[n % brand_ids.length])
    const ids = this.members.map(({ id }) => id)
    await admin.query(
      `insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path, registered_at, handshake_at,
         last_seen_at, sidecar_url, state, checked_at, answered_at, sidecar_version)
       select brand_id, id, lpad(to_hex(n), 8, '0'), 'Desk ' || n, 'codex', '/srv', platform.now(), platform.now(),
         platform.now(), url, $4, heard_at, heard_at, case when heard_at is not null then $5 end
       from (select case when $4 = 'ready' then platform.now() end as heard_at) as h, unnest($1::int[], $2::uuid[], $3::text[]) with ordinality as d (brand_id, id, url, n)`,
      [brands, ids, this.members.map((_, n) => `http://${addressOf(n)}:${port}`), state, report.version],
    )
    await admin.query(
      `insert into fleet.desk_keys (brand_id, desk_id, public_key, fingerprint, wg_key, machine_digest, os, arch)
       select brand_id, id, key, encode(sha256(convert_to(key, 'utf8')), 'hex'), key, id::text, 'linux', 'x64'
       from unnest($1::int[], $2::uuid[], $3::text[]) as d (brand_id, id, key)`,
      [brands, ids, this.members.map(({ public_key }) => public_key)],
    )
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const n = numberOf(request.socket.localAddress ?? '')
    const member = this.members[n]
    const nonce = /^\/v1\/health\?nonce=([\w-]{43})$/.exec(request.url ?? '')?.[1]
    if (!member || !nonce) return void response.writeHead(404).end()
    member.asked += 1
    const mood = this.moodOf(n, member.asked)
    if (mood === 'broken') return void request.socket.destroy()
    if (mood === 'failing') return void response.writeHead(503).end()
    if (mood === 'silent') return
    const body = JSON.stringify({ ...report, env_id: member.id, boot_id: member.id })
    response.writeHead(200, headersOf(member, body, nonce)).end(body)
  }
}

const report = {
  version: '0.3.0',
  digest: null,
  builds_running: 0,
  pending_sync_count: 0,
  login_expired: false,
  link_age_s: 0,
}

function headersOf({ id, key }: Member, body: string, nonce: string): Record<string, string> {
  const facts = { key_id: id, created: Math.floor(Date.now() / 1000), nonce }
  const digest = signature.contentDigest(hash('sha256', body, 'base64'))
  const signed = sign(null, Buffer.from(signature.healthBase({ digest }, facts)), key)
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    [signature.signatureFields.digest]: digest,
    [signature.signatureFields.input]: signature.signatureInput('health', facts),
    [signature.signatureFields.signature]: signature.signatureHeader(signed.toString('base64')),
  }
}

function memberOf(name: string): Member {
  const digest = hash('sha256', name, 'buffer')
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, digest]), format: 'der', type: 'pkcs8' })
  const hex = hash('sha256', `id of ${name}`)
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  return { id, key, public_key: String(key.export({ format: 'jwk' }).x), asked: 0 }
}

const addressOf = (n: number): string => `127.${10 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`
const numberOf = (address: string): number => {
  const [, a = 0, b = 0, c = 0] = address.split('.').map(Number)
  return ((a - 10) << 16) + (b << 8) + c
}
