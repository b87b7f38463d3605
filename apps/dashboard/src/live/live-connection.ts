import { brandHeader } from '../api/acting-for.ts'
import { EventLines, type StreamEvent } from './event-lines.ts'

export type LiveState =
  | { readonly kind: 'live' }
  | { readonly kind: 'catching_up' }
  | { readonly kind: 'reconnecting'; readonly tries: number; readonly next_at: number }
  | { readonly kind: 'offline'; readonly since: number }

interface Told {
  onEvent(event: StreamEvent): void
  onState(state: LiveState): void
  /** The stream cannot go on where it was: whatever is shown has to be read again. */
  onReset(): void
}

/** The server sends a comment every 15 s: three of them missing mean a dead line. */
const watchdogMs = 45_000
/** Without an event for this long it has caught up. */
const quietMs = 300
/** Or after this long, because a busy workspace is never quiet, and what was missed comes first. */
const longestMs = 1500
/** At most 5 s, with what chance adds: whoever waits sees the server within seconds of its return. */
const waitsMs = [500, 1000, 2000]
const longestWaitMs = 4000
/** Tries before it is called offline; with the waits above, some 12 seconds. */
const triesBeforeOffline = 5

/**
 * One connection to the stream of the workspace, for ever: browsers stop for good after an answer that is not 200, so the
 * loop is our own. It resumes where it was, so nothing is lost unless the server says so.
 */
export class LiveConnection {
  readonly #told: Told
  readonly #ended = new AbortController()
  #cursor: string | undefined
  #wake: (() => void) | undefined
  #lostAt: number | undefined
  #settling: ReturnType<typeof setTimeout> | undefined
  #settledBy = 0

  constructor(told: Told) {
    this.#told = told
    addEventListener('online', this.#retryNow, { signal: this.#ended.signal })
    addEventListener('offline', this.#retryNow, { signal: this.#ended.signal })
    void this.#loop()
  }

  close(): void {
    this.#ended.abort()
    clearTimeout(this.#settling)
    this.#wake?.()
  }

  readonly #retryNow = () => this.#wake?.()

  async #loop(): Promise<void> {
    const { signal } = this.#ended
    let tries = 0
    while (!signal.aborted) {
      const wasReady = await this.#read().catch(() => false)
      if (signal.aborted) return
      tries = wasReady ? 1 : tries + 1
      this.#lostAt ??= Date.now()
      const wait = (waitsMs[tries - 1] ?? longestWaitMs) * (0.75 + Math.random() / 2)
      const isOffline = !navigator.onLine || tries > triesBeforeOffline
      this.#told.onState(
        isOffline
          ? { kind: 'offline', since: this.#lostAt }
          : { kind: 'reconnecting', tries, next_at: Date.now() + wait },
      )
      await this.#pause(wait)
    }
  }

  /** Whether it was connected. Ends when the line does. */
  async #read(): Promise<boolean> {
    const line = new AbortController()
    const signal = AbortSignal.any([line.signal, this.#ended.signal])
    let watchdog = setTimeout(() => line.abort(), watchdogMs)
    const alive = () => {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => line.abort(), watchdogMs)
    }
    const goneOffline = () => line.abort()
    addEventListener('offline', goneOffline)
    let isReady = false
    try {
      const since = this.#cursor === undefined ? '' : `?since=${encodeURIComponent(this.#cursor)}`
      const response = await fetch(`/api/v1/events/stream${since}`, {
        ...{ signal, cache: 'no-store', headers: brandHeader() },
      })
      if (response.status !== 200 || !response.body) {
        await response.body?.cancel()
        return false
      }
      const lines = new EventLines()
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        alive()
        for (const event of lines.push(part.value)) {
          this.#take(event)
          isReady = true
        }
      }
      return isReady
    } catch {
      return isReady
    } finally {
      removeEventListener('offline', goneOffline)
      clearTimeout(watchdog)
    }
  }

  #take(event: StreamEvent): void {
    const isFirst = this.#cursor === undefined
    if (event.id !== undefined) this.#cursor = event.id
    if (event.event === 'ready') {
      // What changed between the first reading of a page and the start of the stream was told to nobody.
      if (isFirst || this.#lostAt !== undefined) this.#told.onReset()
      if (this.#lostAt === undefined) this.#told.onState({ kind: 'live' })
      else this.#settle()
      this.#lostAt = undefined
    } else if (event.event === 'reset') this.#told.onReset()
    else if (event.data !== '') this.#told.onEvent(event)
    if (this.#settling !== undefined) this.#settle()
  }

  /** After a loss: what happened meanwhile comes in one go, and it is live when that ends. */
  #settle(): void {
    if (this.#settling === undefined) {
      this.#settledBy = Date.now() + longestMs
      this.#told.onState({ kind: 'catching_up' })
    }
    clearTimeout(this.#settling)
    const wait = Math.max(0, Math.min(quietMs, this.#settledBy - Date.now()))
    this.#settling = setTimeout(() => {
      this.#settling = undefined
      if (this.#lostAt === undefined) this.#told.onState({ kind: 'live' })
    }, wait)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
