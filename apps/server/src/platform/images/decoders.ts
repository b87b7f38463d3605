import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Picture, PictureKind, PictureRules } from '#platform/images/picture-rules.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface Order {
  readonly bytes: Uint8Array
  readonly kind: PictureKind
  readonly rules: PictureRules
}

/** The picture, or what was wrong with the file; with a signal when the file has ended its decoder. */
export type Verdict =
  | { readonly picture: Picture }
  | { readonly fault: string; readonly signal?: NodeJS.Signals }

export interface DecoderLimits {
  /** Processes, and so pictures, at a time. */
  readonly processes: number
  /** Images that may wait for a process; the next gets 503. */
  readonly waiting: number
  /** Pictures of one owner that may be decoded or wait, so that nobody takes all the places. */
  readonly per_owner: number
  readonly wait_ms: number
  /** Longest work on one picture; then its process is ended. */
  readonly decode_ms: number
  /** A process without work ends after this, and its memory with it. */
  readonly idle_ms: number
}

const entry = fileURLToPath(new URL('decoder-process.ts', import.meta.url))
/** Secrets stay here. Fewer arenas: what a picture took is given back, not kept for the next one. */
const env = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', VIPS_BLOCK_UNTRUSTED: '1' }
/** Signals by which a process ends when a picture has found a hole in its decoder. */
const crashes: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT']

interface Waiting {
  readonly start: (decoder: ChildProcess) => void
  readonly timer: NodeJS.Timeout
}

/** A few processes that decode, one picture at a time each. They start when the first picture comes. */
export class Decoders {
  readonly #limits: DecoderLimits
  readonly #all = new Set<ChildProcess>()
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>()
  readonly #queue: Waiting[] = []
  readonly #owners = new Map<string, number>()

  constructor(limits: DecoderLimits) {
    this.#limits = limits
  }

  async decode(order: Order, owner: string): Promise<Verdict> {
    const places = this.#owners.get(owner) ?? 0
    if (places >= this.#limits.per_owner) throw busy()
    this.#owners.set(owner, places + 1)
    try {
      return await this.#decode(order)
    } finally {
      const left = (this.#owners.get(owner) ?? 1) - 1
      if (left > 0) this.#owners.set(owner, left)
      else this.#owners.delete(owner)
    }
  }

  async #decode(order: Order): Promise<Verdict> {
    const decoder = await this.#take()
    try {
      return await ask(decoder, order, this.#limits.decode_ms)
    } finally {
      this.#give(decoder)
    }
  }

  close(): void {
    for (const decoder of this.#all) decoder.kill('SIGKILL')
  }

  #take(): Promise<ChildProcess> {
    const [idle] = this.#idle
    if (idle) {
      const [decoder, timer] = idle
      clearTimeout(timer)
      this.#idle.delete(decoder)
      return Promise.resolve(decoder)
    }
    if (this.#all.size < this.#limits.processes) return Promise.resolve(this.#start())
    if (this.#queue.length >= this.#limits.waiting) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1)
        reject(busy())
      }, this.#limits.wait_ms)
      const waiting: Waiting = { start: resolve, timer }
      this.#queue.push(waiting)
    })
  }

  /** Hands a process to the longest waiting caller. One that ended makes room for a new one. */
  #give(decoder: ChildProcess): void {
    // One that was ended still lives for a moment, and must not hold a place meanwhile.
    if (!isAlive(decoder)) this.#all.delete(decoder)
    const next = this.#queue.shift()
    if (next) {
      clearTimeout(next.timer)
      next.start(isAlive(decoder) ? decoder : this.#start())
      return
    }
    if (!isAlive(decoder)) return
    const timer = setTimeout(() => this.#retire(decoder), this.#limits.idle_ms).unref()
    this.#idle.set(decoder, timer)
  }

  /** Forgotten first: it takes a moment to end, and must not be handed a picture meanwhile. */
  #retire(decoder: ChildProcess): void {
    this.#all.delete(decoder)
    this.#idle.delete(decoder)
    decoder.kill('SIGKILL')
  }

  #start(): ChildProcess {
    const decoder = fork(entry, { execArgv: [], env, serialization: 'advanced', stdio: 'ignore' })
    const forget = () => {
      this.#all.delete(decoder)
      clearTimeout(this.#idle.get(decoder))
      this.#idle.delete(decoder)
    }
    decoder.once('exit', forget)
    decoder.on('error', forget)
    // What waits for a picture keeps this process alive, not the decoder itself.
    decoder.unref()
    decoder.channel?.unref()
    this.#all.add(decoder)
    return decoder
  }
}

const isAlive = ({ exitCode, signalCode, killed, connected }: ChildProcess): boolean =>
  exitCode === null && signalCode === null && !killed && connected

const busy = () =>
  new Outage('service', 'overloaded', { detail: 'Too many images at a time; try again shortly' })
const late = () => new Outage('service', 'timeout', { detail: 'The image could not be processed in time' })

function ask(decoder: ChildProcess, order: Order, limitMs: number): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // Only SIGKILL ends native code that hangs.
      decoder.kill('SIGKILL')
      reject(late())
    }, limitMs)
    const onVerdict = (verdict: Verdict) => settle(() => resolve(verdict))
    const onExit = (_: number | null, signal: NodeJS.Signals | null) =>
      settle(() =>
        signal && crashes.includes(signal) ? resolve({ fault: 'crash', signal }) : reject(late()),
      )
    const onError = () => settle(() => reject(late()))
    const settle = (how: () => void) => {
      clearTimeout(timer)
      decoder.off('message', onVerdict).off('exit', onExit).off('error', onError)
      how()
    }
    decoder.once('message', onVerdict).once('exit', onExit).once('error', onError)
    decoder.send(order, (error) => error && onError())
  })
}
