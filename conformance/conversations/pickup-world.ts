import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { type StandInModel, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll } from 'vitest'
import { ConversationWorkspace } from './conversation-world.ts'

export const minute = 60_000
export const hour = 60 * minute
const every = 10 * minute

/** What the stand-in returns for one memory. */
export interface Told {
  readonly quote: string
  readonly title: string
  readonly body?: string
  readonly tags?: readonly string[]
  readonly kind?: string
  readonly message?: number
  readonly decision?: 'new' | 'same' | 'supersedes' | 'conflicts'
  readonly existing?: number | null
}
export const memories = (...told: readonly Told[]) => ({
  memories: told.map((one) => ({
    reasoning: 'It will matter again.',
    message: 0,
    kind: 'fact',
    body: one.title,
    description: null,
    tags: [],
    importance: 'normal',
    decision: 'new',
    existing: null,
    ...one,
  })),
})

/** The messages of a prompt, without the notes that exist already. */
export const conversationIn = ({ user }: { readonly user: string }): string =>
  user.slice(user.indexOf('\nConversation:'))

export interface Ledger {
  readonly id: string
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
  readonly next_try_at: string | null
  readonly read_through: number
  readonly ledger: readonly {
    readonly number: number
    readonly outcome: string | null
    readonly calls: number
    readonly tokens_in: number
    readonly tokens_out: number
    readonly produced: number
    readonly rejected: number
    readonly error: string | null
    readonly started_at: string
    readonly candidates: readonly {
      readonly decision: string
      readonly reason: string | null
      readonly memory_id: string | null
    }[]
  }[]
}

/** A server, workers on a clock that tests move, and a model that does what it is told. */
export function usePickUps(settings: Readonly<Record<string, string>> = {}) {
  const server = useServer('product')
  let model: StandInModel
  let clock: ReturnType<typeof createVirtualClock>
  let now = 0
  const at = () => Date.now() + now
  let api: ServerProcess
  // On the same clock as the workers: to one that stays behind, what is written comes from the future.
  const onClock: typeof server = Object.create(server, {
    get: { value: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init) },
  })

  beforeAll(async () => {
    model = await startStandInModel()
    clock = createVirtualClock(server.database.name)
    // No ten minutes of the real clock may strike while one pick-up is looked at.
    await advance(every - (Date.now() % every) + minute)
    api = await server.start('api', env())
  })
  afterAll(async () => {
    clock.close()
    await model.close()
  })

  async function advance(ms: number): Promise<void> {
    now += ms
    await clock.advance(ms)
  }
  const env = () => ({ LLM_URL: model.url, LLM_MODEL: 'stand-in', ...clock.env, ...settings })
  /** After the pick-up that was missed before there was a worker. */
  async function startWorker(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const worker = await server.start('worker', { ...env(), ...more })
    await waitFor(isSettled, 60_000)
    return worker
  }
  const strike = () => advance(every - (at() % every) + 1)
  /** Whether every pick-up whose time has come has begun and ended. */
  const isSettled = async () => {
    const [found] = await server.sql<{ settled: boolean }>(
      `select next_at > platform.now() and not exists (
         select from pgboss.job j where j.name = s.name and j.state < 'completed') as settled
       from jobs.schedules s where name = 'conversations.pick-up'`,
    )
    return found?.settled === true
  }

  return {
    server,
    get model() {
      return model
    },
    /** On the same clock as the workers. */
    get api() {
      return api
    },
    at,
    advance,
    startWorker,
    /** Workers for many rounds, in each of which one is lost. */
    newCrew: (size: number): Promise<WorkerCrew> =>
      WorkerCrew.open({
        database: server.database.name,
        size,
        start: (more) => server.start('worker', { ...env(), ...more }),
      }),
    /** The time of the next pick-up comes. */
    strike,
    /** Every pick-up whose time has come has begun and ended. */
    settled: () => waitFor(isSettled, 60_000),
    /** The next pick-up, from its beginning to its end. */
    async pickUp(): Promise<void> {
      await strike()
      await waitFor(isSettled, 60_000)
    },
    /** So that the next pick-up is the last one before this time. */
    async approach(time: number): Promise<void> {
      const last = Math.floor(time / every) * every
      const gap = last - every / 2 - at()
      if (gap > 0) await advance(gap)
      await waitFor(isSettled, 60_000)
    },
    async open() {
      const work = await ConversationWorkspace.open(onClock)
      // Tokens of tests live for a day of the real clock.
      await server.sql(
        `update identity.tokens set expires_at = platform.now() + interval '30 days' where brand_id = $1`,
        [work.brand_id],
      )
      const source = await work.add()
      return {
        work,
        source,
        async send(conversation_id: string, texts: readonly string[], first_seq = 0): Promise<Ledger> {
          const messages = texts.map((text, n) => ({
            role: (first_seq + n) % 2 === 0 ? 'person' : 'agent',
            text,
          }))
          const sent = await work.call<Ledger>('POST', `/sources/${source.id}/conversations`, {
            format: 'messages',
            conversation_id,
            first_seq,
            messages,
          })
          if (sent.status > 201) throw new Error(`refused with ${sent.status}: ${JSON.stringify(sent.body)}`)
          return sent.body
        },
        ledger: async (id: string) => (await work.call<Ledger>('GET', `/conversations/${id}`)).body,
        /** Titles of the active memories, oldest first. */
        titles: async () =>
          (
            await server.sql<{ title: string }>(
              `select title from memory.memories where brand_id = $1 and status = 'active' order by id`,
              [work.brand_id],
            )
          ).map(({ title }) => title),
      }
    },
  }
}
