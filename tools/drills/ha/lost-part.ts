import { setTimeout } from 'node:timers/promises'
import type { Fault, FaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type Answer, call } from '@crewhall/testkit/world/call.ts'
import type { Founder } from '@crewhall/testkit/world/workspace.ts'
import { StreamReader } from '../load/stream-reader.ts'

export type Deed = 'card' | 'board' | 'sign-in' | 'upload' | 'download' | 'stream' | 'health'

interface Tried {
  done: number
  refused: Map<number | string, number>
  slowest_ms: number
}

export interface Loss {
  readonly of: ReadonlyMap<Deed, Tried>
  /** From the return of the part to the first success of everything. */
  readonly served_again_ms: number
}

const lastsMs = 12_000
const pauseMs = 250
const streamLimitMs = 20_000

/** What people do while Redis or the object store is away. */
export class LostPart {
  readonly #founder: Founder
  readonly #board: string
  readonly #attachment: string
  readonly #reader: StreamReader

  private constructor(founder: Founder, board: string, attachment: string, reader: StreamReader) {
    this.#founder = founder
    this.#board = board
    this.#attachment = attachment
    this.#reader = reader
  }

  static async prepare(founder: Founder, url: string): Promise<LostPart> {
    const { get } = founder.server
    const post = async (path: string, body: unknown): Promise<string> => {
      const answer = await call<{ id: string }>(get, founder, 'POST', `/api/v1/board${path}`, body)
      if (answer.status !== 201) throw new Error(`POST ${path} got ${answer.status}: ${answer.text}`)
      return answer.body.id
    }
    const board = await post('/boards', { name: 'Without', key: 'LOST' })
    const card = await post(`/boards/${board}/tasks`, { title: 'With a file' })
    const attachment = await post(`/tasks/${card}/attachments`, someFile())
    return new LostPart(founder, board, attachment, new StreamReader(url, board, founder.token))
  }

  /** Takes the part away, tries everything over and over, gives it back, and waits until everything goes again. */
  async lose(part: FaultProxy, fault: Fault): Promise<Loss> {
    const deeds = this.#deeds()
    const tried = new Map<Deed, Tried>()
    part.set(fault)
    const until = Date.now() + lastsMs
    await Promise.all(
      [...deeds].map(async ([name, deed]) => {
        const of: Tried = { done: 0, refused: new Map(), slowest_ms: 0 }
        tried.set(name, of)
        while (Date.now() < until) {
          const began = performance.now()
          const status = await deed().catch((error: Error) => error.message)
          of.slowest_ms = Math.max(of.slowest_ms, performance.now() - began)
          if (typeof status === 'number' && status < 300) of.done += 1
          else of.refused.set(status, (of.refused.get(status) ?? 0) + 1)
          await setTimeout(pauseMs)
        }
      }),
    )
    part.set({ kind: 'none' })
    const back = performance.now()
    await Promise.all(
      [...deeds.values()].map((deed) => waitFor(async () => Number(await deed()) < 300, 60_000)),
    )
    return { of: tried, served_again_ms: performance.now() - back }
  }

  close(): Promise<void> {
    return this.#reader.close()
  }

  #deeds(): Map<Deed, () => Promise<number>> {
    const { server, owner } = this.#founder
    const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
      call(server.get, this.#founder, method, `/api/v1${path}`, body)
    const makeCard = () => ask('POST', `/board/boards/${this.#board}/tasks`, { title: 'Without a part' })
    return new Map<Deed, () => Promise<number>>([
      ['card', async () => (await makeCard()).status],
      ['board', async () => (await ask('GET', `/board/boards/${this.#board}/tasks`)).status],
      [
        'upload',
        async () => {
          // A card has room for 50 files.
          const card = await makeCard()
          if (card.status >= 300) return card.status
          const { id } = card.body as { id: string }
          return (await ask('POST', `/board/tasks/${id}/attachments`, someFile())).status
        },
      ],
      ['download', async () => (await ask('GET', `/board/attachments/${this.#attachment}/content`)).status],
      ['health', async () => (await ask('GET', '/system/health')).status],
      [
        'sign-in',
        async () => {
          const { email, password } = owner
          return (await call(server.get, null, 'POST', '/api/v1/auth/sign-in', { email, password })).status
        },
      ],
      [
        'stream',
        async () => {
          // Others make cards as well; an entry that comes after this one was made is late enough.
          const before = this.#reader.seen.length
          const { status } = await makeCard()
          if (status >= 300) return status
          await waitFor(() => this.#reader.seen.length > before, streamLimitMs)
          return 200
        },
      ],
    ])
  }
}

const someFile = (): FormData => formOf('file', Buffer.from('Some text\n'), 'note.txt', 'text/plain')

/** A machine that stalls sheds a request now and then, with every part in place. */
export function goesOn({ of }: Loss, deed: Deed): boolean {
  const { done = 0, refused = new Map() } = of.get(deed) ?? {}
  return done > 0 && [...refused.values()].reduce((sum, times) => sum + times, 0) <= done / 10
}

/** One line for the table. */
export function tell({ of, served_again_ms }: Loss): string {
  const parts = [...of].map(([name, { done, refused, slowest_ms }]) => {
    const no = [...refused].map(([status, times]) => `${times} × ${status}`).join(', ')
    return `${name} ${done} done${no ? `, ${no}` : ''}, at most ${(slowest_ms / 1000).toFixed(1)} s`
  })
  return `all again ${(served_again_ms / 1000).toFixed(1)} s after its return; ${parts.join('; ')}`
}
