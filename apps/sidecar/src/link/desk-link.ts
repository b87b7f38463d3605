import { ApiError, clientOf } from '@crewhall/client/client.ts'
import {
  type Beat,
  getSidecarBundle,
  type Registered,
  type Registration,
  registerDesk,
  sendBeat,
} from '@crewhall/contracts/fleet/desk-agent.ts'
import { getBuildSettings } from '@crewhall/contracts/fleet/desk-builds.ts'
import { exchangeMemory, type MemoryExchange } from '@crewhall/contracts/fleet/desk-memory.ts'
import type { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { sendLogs } from '@crewhall/contracts/fleet/logs.ts'
import { type DeskHire, fetchDeskHire } from '@crewhall/contracts/hires/credentials.ts'
import type { BuildDesk } from '@crewhall/contracts/profiles/build-settings.ts'
import type { RouteResult } from '@crewhall/contracts/route.ts'
import { limited } from './limited-fetch.ts'
import type { Signer } from './signing.ts'

/** For a slow line. */
const bundleLimitMs = 120_000
/** For a line that is known to work: where it does not, there is another one. */
const meshLimitMs = 5000

type BeatAnswer = RouteResult<typeof sendBeat>['body']
type BuildAnswer = RouteResult<typeof getBuildSettings>['body']
type MemoryAnswer = RouteResult<typeof exchangeMemory>['body']

/** Calls of the service, each signed by this desk. */
export class DeskLink {
  readonly #base_url: string
  readonly #signer: Signer
  readonly #stop: AbortSignal
  /** The way that the last beat took. */
  beat_by: 'https' | 'mesh' | undefined
  /** The request before. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(baseUrl: string, signer: Signer, stop: AbortSignal) {
    this.#base_url = baseUrl
    this.#signer = signer
    this.#stop = stop
  }

  /** The service does not know the key yet, so the key itself says whose it is, and the secret which desk. */
  async register(identity: string, secret: string, body: Registration): Promise<Registered> {
    const headers = { authorization: `Bearer ${secret}` }
    const { agent } = clientOf({ agent: { registerDesk } }, { ...this.#signedBy(identity), headers })
    return (await agent.registerDesk({ body })).body
  }

  /** Through the private network while the hub is heard there, and otherwise, or if that fails, as all else. */
  async beat(envId: string, body: Beat): Promise<BeatAnswer> {
    const meshUrl = this.meshUrl()
    if (meshUrl !== undefined) {
      try {
        return await this.#beat({ ...this.#signedBy(envId, meshLimitMs), base_url: meshUrl }, body)
      } catch (error) {
        // What the service says, it would say again.
        if (this.#stop.aborted || (error instanceof ApiError && error.status < 500)) throw error
        // Whoever refuses is there; whoever says nothing may not be.
        if (error instanceof Error && error.name === 'TimeoutError') this.meshSilent()
      }
    }
    return this.#beat(this.#signedBy(envId), body)
  }

  /** Set when the desk is in the network; undefined while the hub is not heard. */
  meshUrl: () => string | undefined = () => undefined

  meshSilent: () => void = () => undefined

  async #beat(options: { base_url: string; fetch: typeof fetch }, body: Beat): Promise<BeatAnswer> {
    const { agent } = clientOf({ agent: { sendBeat } }, options)
    const answer = (await agent.sendBeat({ body })).body
    this.beat_by = options.base_url === this.#base_url ? 'https' : 'mesh'
    return answer
  }

  async buildSettings(envId: string, profile: string, desk: BuildDesk): Promise<BuildAnswer> {
    const { agent } = clientOf({ agent: { getBuildSettings } }, this.#signedBy(envId))
    return (await agent.getBuildSettings({ body: { agent_context: { profile }, desk } })).body
  }

  async exchangeMemory(envId: string, body: MemoryExchange): Promise<MemoryAnswer> {
    const { agent } = clientOf({ agent: { exchangeMemory } }, this.#signedBy(envId))
    return (await agent.exchangeMemory({ body })).body
  }

  async fetchHire(envId: string): Promise<DeskHire> {
    const { agent } = clientOf({ agent: { fetchDeskHire } }, this.#signedBy(envId))
    return (await agent.fetchDeskHire()).body
  }

  async sendLogs(envId: string, text: string): Promise<void> {
    const { agent } = clientOf({ agent: { sendLogs } }, this.#signedBy(envId))
    await agent.sendLogs({ body: { text } })
  }

  /** Its bytes, and no more than it says it has: whoever answers may send anything. */
  async bundle(envId: string, { sha256, bytes }: SidecarBundle): Promise<Uint8Array> {
    const { base_url, fetch } = this.#signedBy(envId, bundleLimitMs)
    const url = new URL(`${base_url.replace(/\/$/, '')}${getSidecarBundle.path}?sha256=${sha256}`)
    const response = await fetch(url)
    const parts: Uint8Array[] = []
    let length = 0
    if (response.status === 200)
      for await (const part of response.body ?? []) {
        length += part.length
        if (length > bytes) break
        parts.push(part)
      }
    else await response.body?.cancel()
    if (length !== bytes) throw new Error(`the bundle has another size, or status ${response.status}`)
    return Buffer.concat(parts)
  }

  #signedBy(keyId: string, limitMs?: number): { base_url: string; fetch: typeof fetch } {
    const send = limited(this.#stop, limitMs)
    const signing: typeof fetch = (input, { headers, ...init } = {}) =>
      this.#inTurn(() => {
        const { pathname } = new URL(String(input))
        const text = typeof init.body === 'string' ? init.body : ''
        const signed = this.#signer.request(keyId, init.method ?? 'GET', pathname, text)
        return send(input, { ...init, headers: { ...(headers as Record<string, string>), ...signed } })
      })
    return { base_url: this.#base_url, fetch: signing }
  }

  /** One at a time: a request that is overtaken by the next one is refused. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}
