import { pause } from '../link/pause.ts'
import type { Log } from '../log.ts'
import type { MeshKeys } from '../state/mesh-keys.ts'
import type { Tunnel } from './tunnel.ts'

interface MeshEndOptions {
  readonly tunnel: Pick<Tunnel, 'isThere' | 'raise' | 'lower' | 'handshakeAt'>
  readonly keys: MeshKeys
  readonly log: Log
  readonly stop: AbortSignal
  /** Serves health on the address of the desk in the network. */
  serve(): Promise<{ close(): Promise<void> }>
  /** When the hub has answered for the first time. */
  linked(): void
}

/**
 * WireGuard calls every five seconds until it is answered; a hub that has moved is looked up after three calls. The first
 * call may have come before the hub knew this desk, so the second one comes sooner.
 */
const patienceMs = 15_000
const firstPatienceMs = 2000
/** There is a handshake every two minutes. */
const silentS = 180
/** Seconds between two looks: while the hub has not answered, when it has, and where something is missing here. */
const waits = { calling: 0.5, linked: 20, failed: 5 }
/** The hub looks for new keys every two seconds. */
const knownS = 2.5
/** For the hub to answer a new key. */
const heardMs = 10_000
const heardEveryS = 0.2

/** Keeps this desk in the private network, and serves health there and nowhere else. */
export class MeshEnd {
  readonly #options: MeshEndOptions
  #handshakeAt: number | null = null
  #raisedAt: number | undefined
  #health: { close(): Promise<void> } | undefined
  #complaint = ''
  #calls = 0
  /** Something that was sent to the hub has got no answer. */
  #isDoubted = false
  /** Whether the key that is tried is the next one. */
  #isNext = false
  /** One change of the device after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: MeshEndOptions) {
    this.#options = options
  }

  /** Seconds since the hub was heard; null if it was not, or seems to be so no longer. Beats go on without it, and tell. */
  get age_s(): number | null {
    if (this.#isDoubted) return null
    return this.#handshakeAt === null ? null : Math.max(0, Math.floor(Date.now() / 1000 - this.#handshakeAt))
  }

  /** Whether the hub was heard a while ago at most. */
  get isLinked(): boolean {
    return (this.age_s ?? Number.POSITIVE_INFINITY) <= silentS
  }

  /** The hub is called anew at the next look; a handshake may be good for three minutes after the line was cut. */
  doubt(): void {
    this.#isDoubted = true
  }

  /** Until the sidecar stops. */
  async keepUp(): Promise<void> {
    const { stop, tunnel } = this.#options
    while (!stop.aborted) await pause(await this.#inTurn(() => this.#look()), stop)
    await this.#health?.close()
    await this.#inTurn(() => tunnel.lower()).catch((error: unknown) => this.#complain(error))
  }

  /**
   * Replaces the key. The service is told the new one first, and the hub lets it in beside the old one, which goes when the
   * hub has heard this desk with the new one. If that does not happen, the old one is still good.
   */
  async rotate(tell: (wg_pub: string) => Promise<void>): Promise<boolean> {
    const { keys, stop, log } = this.#options
    const { public_key } = await keys.propose()
    await tell(public_key)
    await pause(knownS, stop)
    return this.#inTurn(async () => {
      if (stop.aborted) return false
      if (await this.#switchTo(true)) {
        log.info('this desk has another key in the private network')
        return true
      }
      log.warn('the hub has not answered to another key')
      await this.#switchTo(false)
      return false
    })
  }

  /** Whether the hub has answered. */
  async #switchTo(isNext: boolean): Promise<boolean> {
    const { stop, tunnel } = this.#options
    this.#isNext = isNext
    await this.#raise()
    const until = performance.now() + heardMs
    while (performance.now() < until && !stop.aborted) {
      const at = await tunnel.handshakeAt()
      if (at !== null) {
        await this.#heard(at)
        return true
      }
      await pause(heardEveryS, stop)
    }
    return false
  }

  /** Seconds until the next. */
  async #look(): Promise<number> {
    const { tunnel, log, serve, linked, keys } = this.#options
    try {
      if (this.#raisedAt === undefined) await tunnel.lower()
      const isSilent = (this.age_s ?? Number.POSITIVE_INFINITY) > silentS
      const isDue = isSilent && performance.now() - (this.#raisedAt ?? 0) > this.#patienceMs
      // A sidecar that died while it changed its key does not know which one the hub knows.
      if (isDue && this.#calls > 1) this.#isNext = !this.#isNext && keys.next !== undefined
      if (this.#raisedAt === undefined || isDue || !(await tunnel.isThere())) await this.#raise()
      this.#health ??= await serve()
      const wasLinked = this.#handshakeAt !== null
      const at = await tunnel.handshakeAt()
      if (at === null) return waits.calling
      await this.#heard(at)
      if (!wasLinked) {
        log.info('the hub has answered')
        linked()
      }
      this.#complaint = ''
      return waits.linked
    } catch (error) {
      this.#handshakeAt = null
      this.#complain(error)
      return waits.failed
    }
  }

  /** The key that the hub has answered to is the one from now on. */
  async #heard(at: number): Promise<void> {
    await this.#options.keys.settle(this.#isNext)
    this.#isNext = false
    this.#calls = 0
    this.#handshakeAt = at
  }

  async #raise(): Promise<void> {
    const { tunnel, keys } = this.#options
    const { private_key } = (this.#isNext ? keys.next : undefined) ?? keys.current
    await tunnel.raise(private_key)
    this.#isDoubted = false
    this.#handshakeAt = null
    this.#raisedAt = performance.now()
    this.#calls += 1
  }

  get #patienceMs(): number {
    return this.#calls === 1 ? firstPatienceMs : patienceMs
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Once: it says the same until somebody mends it. */
  #complain(error: unknown): void {
    if (String(error) === this.#complaint) return
    this.#complaint = String(error)
    this.#options.log.warn('the private network is not up', { error })
  }
}
