import type { StreamEvent } from './event-lines.ts'
import { LiveConnection, type LiveState } from './live-connection.ts'

export interface LiveEvent {
  /** The action of a board, or the type of an event outside boards. */
  readonly type: string
  readonly board_id: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

type Message =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hello' }

interface Listener {
  onEvent(event: LiveEvent): void
  onReset(): void
}

/**
 * One stream for all tabs of a workspace: a browser has six connections for an origin, and a person 20 streams. The tab that
 * holds the lock reads it and tells the others; when that tab goes, the lock passes to the next one.
 */
export class LiveTabs {
  readonly #channel: BroadcastChannel
  readonly #ended = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Set<() => void>()
  #connection: LiveConnection | undefined
  #state: LiveState = { kind: 'catching_up' }

  constructor(scope: string) {
    const name = `crewhall.live.${scope}`
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data)
    this.#send({ kind: 'hello' })
    // Without locks, which only secure origins have, each tab reads for itself.
    if (!('locks' in navigator)) this.#lead()
    else
      navigator.locks
        .request(name, { signal: this.#ended.signal }, () => {
          // Given to one that was closed meanwhile: whoever keeps it would leave all others without a stream.
          if (this.#ended.signal.aborted) return
          this.#lead()
          return new Promise<void>((resolve) => this.#ended.signal.addEventListener('abort', () => resolve()))
        })
        .catch(() => {})
  }

  get state(): LiveState {
    return this.#state
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called whenever the state has changed. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  close(): void {
    this.#ended.abort()
    this.#connection?.close()
    this.#channel.close()
  }

  #lead(): void {
    if (this.#ended.signal.aborted) return
    const tell = (message: Message) => {
      this.#send(message)
      this.#hear(message)
    }
    this.#connection = new LiveConnection({
      onState: (state) => tell({ kind: 'state', state }),
      onReset: () => tell({ kind: 'reset' }),
      onEvent: (event) => tell({ kind: 'event', event: liveEvent(event) }),
    })
  }

  #send(message: Message): void {
    if (!this.#ended.signal.aborted) this.#channel.postMessage(message)
  }

  #hear(message: Message): void {
    if (message.kind === 'hello') {
      if (this.#connection) this.#send({ kind: 'state', state: this.#state })
    } else if (message.kind === 'state') {
      this.#state = message.state
      for (const watcher of this.#watchers) watcher()
    } else if (message.kind === 'reset') for (const listener of this.#listeners) listener.onReset()
    else for (const listener of this.#listeners) listener.onEvent(message.event)
  }
}

function liveEvent({ event, data }: StreamEvent): LiveEvent {
  const facts = JSON.parse(data) as Record<string, unknown>
  const board_id = typeof facts.board_id === 'string' ? facts.board_id : undefined
  return { type: event, board_id, data: facts }
}
