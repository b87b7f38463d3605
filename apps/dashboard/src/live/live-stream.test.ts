import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveConnection } from './live-connection.ts'
import { LiveTabs } from './live-tabs.ts'

/** A request for the stream, and what a test lets the server say to it. */
interface Asked {
  readonly path: string
  readonly signal: AbortSignal
  say(text: string): void
}

let asked: Asked[]
let opened: { close(): void }[]

/** Locks and channels are those of Node; only what a page has and Node has not is made here. */
beforeEach(() => {
  asked = []
  opened = []
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('navigator', { onLine: true, locks: navigator.locks })
  vi.stubGlobal('fetch', serve)
})
afterEach(() => {
  for (const each of opened) each.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function serve(path: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      const say = (text: string) => stream.enqueue(new TextEncoder().encode(text))
      asked.push({ path, signal, say })
      signal.addEventListener('abort', () => stream.error(signal.reason))
    },
  })
  return Promise.resolve(new Response(body))
}

/** On a busy machine too. */
const soon = (look: () => unknown) => expect.poll(look, { timeout: 20_000, interval: 10 })

/** The request with that number, once it was made. */
async function request(count: number): Promise<Asked> {
  await soon(() => asked.length).toBe(count)
  const [last] = asked.slice(-1)
  if (!last) throw new Error('nothing was asked')
  return last
}

const ready = (id: number) => `event: ready\nid: ${id}\ndata: {}\n\n`
const change = (id: number) => `event: created\nid: ${id}\ndata: {"board_id":"b1"}\n\n`

function open(scope: string) {
  const tabs = new LiveTabs(scope)
  const heard: string[] = []
  tabs.listen({ onEvent: ({ type }) => heard.push(type), onReset: () => heard.push('reset') })
  opened.push(tabs)
  return { tabs, heard }
}

function connect() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const states: string[] = []
  opened.push(
    new LiveConnection({ onEvent() {}, onReset() {}, onState: ({ kind }) => void states.push(kind) }),
  )
  return states
}

/** Locks as a browser gives them: from another process, so that one can be on its way to a tab that has gone. */
class DistantLocks {
  readonly #waiting: (() => Promise<void>)[] = []

  request(_name: string, _options: object, held: () => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(async () => resolve(await held())))
  }

  /** To those who wait, one after the other. */
  async give(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next()
  }
}

test('a tab that was closed while its lock was on the way leaves it to the next one', async () => {
  const locks = new DistantLocks()
  vi.stubGlobal('navigator', { onLine: true, locks })
  open('1').tabs.close()
  const { tabs } = open('1')
  void locks.give()
  const stream = await request(1)
  stream.say(ready(7))
  await soon(() => tabs.state.kind).toBe('live')
})

test('one tab reads for all, and the next one goes on when it closes', async () => {
  const first = open('2')
  const stream = await request(1)
  const second = open('2')
  stream.say(ready(7))
  await soon(() => [first.tabs.state.kind, second.tabs.state.kind]).toEqual(['live', 'live'])
  stream.say(change(8))
  await soon(() => second.heard).toEqual(['reset', 'created'])
  expect(first.heard).toEqual(['reset', 'created'])
  // One that is opened later is told how things are.
  const third = open('2')
  await soon(() => third.tabs.state.kind).toBe('live')
  expect(asked).toHaveLength(1)

  first.tabs.close()
  expect(stream.signal.aborted).toBe(true)
  const next = await request(2)
  next.say(ready(9))
  next.say(change(10))
  // What happened between the two streams was told to nobody, so all is read again.
  await soon(() => third.heard).toEqual(['reset', 'created'])
  await soon(() => second.heard).toEqual(['reset', 'created', 'reset', 'created'])
  expect(asked).toHaveLength(2)
})

test('a line that is silent for 45 s is given up and taken up again where it was', async () => {
  const states = connect()
  const line = await request(1)
  line.say(ready(7))
  await soon(() => states).toEqual(['live'])
  await vi.advanceTimersByTimeAsync(44_000)
  line.say(': still here\n\n')
  await vi.advanceTimersByTimeAsync(0)
  await vi.advanceTimersByTimeAsync(44_000)
  expect([line.signal.aborted, states]).toEqual([false, ['live']])
  await vi.advanceTimersByTimeAsync(1000)
  expect(line.signal.aborted).toBe(true)
  await soon(() => states).toEqual(['live', 'reconnecting'])
  // The first wait is 500 ms, and a quarter more or less.
  await vi.advanceTimersByTimeAsync(625)
  const again = await request(2)
  expect(again.path).toBe('/api/v1/events/stream?since=7')
  again.say(ready(8))
  await soon(() => states).toEqual(['live', 'reconnecting', 'catching_up'])
  await vi.advanceTimersByTimeAsync(300)
  expect(states.at(-1)).toBe('live')
})

test('a workspace that is never quiet is live again in a second and a half', async () => {
  const states = connect()
  const line = await request(1)
  line.say(ready(1))
  await soon(() => states).toEqual(['live'])
  await vi.advanceTimersByTimeAsync(45_000)
  await vi.advanceTimersByTimeAsync(625)
  const again = await request(2)
  again.say(ready(2))
  await soon(() => states.at(-1)).toBe('catching_up')
  for (let sent = 0; sent < 7; sent += 1) {
    again.say(change(3 + sent))
    await vi.advanceTimersByTimeAsync(200)
  }
  expect(states.at(-1)).toBe('catching_up')
  again.say(change(10))
  await vi.advanceTimersByTimeAsync(100)
  expect(states.at(-1)).toBe('live')
})
