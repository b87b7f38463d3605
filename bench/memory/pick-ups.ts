import { type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import type { Prompt, StandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { production } from '../http-bench.ts'
import { MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'

const minute = 60_000
const every = 10 * minute
const longestRoundMs = 600_000

/** What the stand-in returns for one memory. */
export interface Told {
  readonly quote: string
  readonly title: string
  readonly body?: string
  readonly kind?: string
  readonly message?: number
  readonly tags?: readonly string[]
  readonly decision?: 'new' | 'same' | 'supersedes' | 'conflicts'
  readonly existing?: number | null
}
export const answerOf = (told: readonly Told[]) => ({
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

export interface PromptMessage {
  readonly message: number
  readonly role: string
  readonly text: string
}
export interface PromptNote {
  readonly note: number
  readonly text: string
}
/** What a model can know: the lines of the prompt, each a message or a note. */
export function linesOf({ user }: Pick<Prompt, 'user'>): { messages: PromptMessage[]; notes: PromptNote[] } {
  const lines = user.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  return {
    messages: lines.filter((line): line is PromptMessage => 'message' in line),
    notes: lines.filter((line): line is PromptNote => 'note' in line),
  }
}

export interface LedgerEntry {
  readonly id: string
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
  readonly next_try_at: string | null
  readonly ledger: readonly {
    readonly outcome: string | null
    readonly calls: number
    readonly candidates: readonly {
      readonly decision: string
      readonly reason: string | null
      readonly memory_id: string | null
    }[]
  }[]
}

/** Servers and workers of one database, on a clock that is moved from pick-up to pick-up. */
export class PickUps {
  readonly host: MemoryHost
  readonly model: StandInModel
  readonly clock: VirtualClock
  readonly api: ServerProcess
  readonly #settings: Readonly<Record<string, string>>
  #workers: ServerProcess[] = []
  #only: { readonly name: string; readonly worker: ServerProcess } | undefined
  #offsetMs = 0

  private constructor(
    host: MemoryHost,
    model: StandInModel,
    clock: VirtualClock,
    api: ServerProcess,
    settings: Readonly<Record<string, string>>,
  ) {
    this.host = host
    this.model = model
    this.clock = clock
    this.api = api
    this.#settings = settings
  }

  static async open(
    host: MemoryHost,
    model: StandInModel,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PickUps> {
    const clock = createVirtualClock(host.database.name)
    const { url: database_url } = host.database
    // A pick-up that strikes while nothing is to be read would not disturb, but two in one minute would.
    const ahead = every - (Date.now() % every) + minute
    await clock.advance(ahead)
    const env = {
      ...production,
      HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000',
      LLM_URL: model.url,
      LLM_MODEL: 'stand-in',
      ...clock.env,
      ...settings,
    }
    const api = await startProcess({ entry: 'apps/server/src/api.ts', database_url, env })
    const made = new PickUps(host, model, clock, api, env)
    made.#offsetMs = ahead
    return made
  }

  at(): number {
    return Date.now() + this.#offsetMs
  }

  async advance(ms: number): Promise<void> {
    this.#offsetMs += ms
    await this.clock.advance(ms)
  }

  /** After the pick-up that was missed before there was a worker. */
  async startWorker(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const worker = await startProcess({
      entry: 'apps/server/src/worker.ts',
      database_url: this.host.database.url,
      env: { ...this.#settings, ...more },
    })
    this.#workers.push(worker)
    await this.settled()
    return worker
  }

  /** One worker with these settings and no other; the one that is there, if it has them. */
  async onlyWorker(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const name = JSON.stringify(more)
    if (this.#only?.name !== name) {
      await this.stopWorkers()
      this.#only = { name, worker: await this.startWorker(more) }
    }
    return this.#only.worker
  }

  async stopWorkers(): Promise<void> {
    this.#only = undefined
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    this.#workers = []
  }

  strike(): Promise<void> {
    return this.advance(every - (this.at() % every) + 1)
  }

  /** Every pick-up whose time has come has begun and ended. */
  async settled(): Promise<void> {
    await waitFor(async () => {
      const [found] = await this.host.sql<{ settled: boolean }>(
        `select next_at > platform.now() and not exists (
           select from pgboss.job j where j.name = s.name and j.state < 'completed') as settled
         from jobs.schedules s where name = 'conversations.pick-up'`,
      )
      return found?.settled === true
    }, longestRoundMs)
  }

  /** The next pick-up, from its beginning to its end. */
  async pickUp(): Promise<void> {
    await this.strike()
    await this.settled()
  }

  /** A workspace whose plan has room for sources; its calls go to the server on this clock. */
  async open(agents: readonly string[] = ['build-bot']): Promise<Feed> {
    const workspace = await this.host.workspace()
    const key = `plan_of_${workspace.brand_id}`
    await this.host.sql(
      `insert into identity.plans (key, name, features, desk_cap, source_cap) values ($1, $1, '{feed}', 1, 1000)`,
      [key],
    )
    await this.host.sql('update identity.brands set plan_key = $2 where id = $1', [workspace.brand_id, key])
    await this.host.addAgents(workspace, agents)
    return new Feed(this.host, workspace, new MemoryCaller(this.api, workspace))
  }

  async close(): Promise<void> {
    await this.stopWorkers()
    await this.api.stop()
    this.clock.close()
  }
}

export interface StoredMemory {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly status: string
  readonly confidence: number
  readonly quote: string | null
}

/** One workspace with its sources and conversations. */
export class Feed {
  readonly host: MemoryHost
  readonly workspace: Workspace
  readonly caller: MemoryCaller

  constructor(host: MemoryHost, workspace: Workspace, caller: MemoryCaller) {
    this.host = host
    this.workspace = workspace
    this.caller = caller
  }

  async source(source_type = 'claude_code', agent_id = 'build-bot'): Promise<string> {
    return (await this.caller.made<{ id: string }>('POST', '/sources', { agent_id, source_type })).id
  }

  send(source_id: string, conversation: object): Promise<LedgerEntry> {
    return this.caller.made<LedgerEntry>('POST', `/sources/${source_id}/conversations`, conversation)
  }

  /** Person and agent in turns. */
  say(
    source_id: string,
    conversation_id: string,
    texts: readonly string[],
    first_seq = 0,
  ): Promise<LedgerEntry> {
    const messages = texts.map((text, n) => ({ role: (first_seq + n) % 2 === 0 ? 'person' : 'agent', text }))
    return this.send(source_id, { format: 'messages', conversation_id, first_seq, messages })
  }

  ledger(id: string): Promise<LedgerEntry> {
    return this.caller.made<LedgerEntry>('GET', `/conversations/${id}`)
  }

  async states(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.host.sql<{ state: string; n: number }>(
      'select state, count(*)::int as n from conversations.conversations where brand_id = $1 group by state',
      [this.workspace.brand_id],
    )
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  }

  /** Everything that stands there, in whatever state, with the words that it was first taken from. */
  memories(): Promise<StoredMemory[]> {
    return this.host.sql<StoredMemory>(
      `select m.id, m.title, m.body, m.status, m.confidence::float8 as confidence,
         (select p.quote from memory.provenance p where p.brand_id = m.brand_id and p.memory_id = m.id limit 1) as quote
       from memory.memories m where m.brand_id = $1 order by m.id`,
      [this.workspace.brand_id],
    )
  }
}
