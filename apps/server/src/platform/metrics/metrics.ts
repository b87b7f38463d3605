import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { readLimitMs, scrapedRead } from '#platform/metrics/scraped-read.ts'
import { SeriesHistogram } from '#platform/metrics/series-histogram.ts'

export interface Metrics {
  readonly registry: Registry
  readonly http_seconds: SeriesHistogram<'route' | 'method' | 'status'>
  watchInFlight(read: () => number): void
  watchStreams(read: () => number): void
  /** Seconds that the oldest item has waited; 0 if none waits. Read at every scrape. */
  watchOldest(what: 'job' | 'delivery' | 'delta' | 'revocation', read: () => Promise<number>): void
  /** Read once at every scrape, for all of them. */
  watchCounts(read: () => Promise<Readonly<Record<keyof typeof counts, number>>>): void
  readonly http_shed: Counter<'reason'>
  readonly job_seconds: Histogram<'job' | 'outcome'>
  readonly job_wait_seconds: Histogram<'job'>
  readonly outages: Counter<'part' | 'reason'>
  readonly caller_lookups: Counter<'credential'>
  /** `pool`: none was free; `share`: the workspace had its share of them. */
  readonly connection_wait_seconds: SeriesHistogram<'reason' | 'handle'>
  /** `queue`: without a connection; `lock`: with one. */
  readonly turn_wait_seconds: Histogram<'kind' | 'at'>
  /** Calls of models, waits for a place included. The outcome is `ok` or the reason of the outage. */
  readonly model_seconds: Histogram<'part' | 'purpose' | 'outcome'>
  /** As the endpoint counts them. */
  readonly model_tokens: Counter<'part' | 'purpose' | 'direction'>
  /** Where a call stands against the daily limit of its workspace: `below`, `near` or `withheld`. */
  readonly model_standings: Counter<'kind' | 'standing'>
  /** `void`: this process was asleep when the check should have ended. `was`: `ready`, or `other` for what was not. */
  readonly desk_checks: Counter<'outcome' | 'was'>
  /** `outside` stands for all tools of packages, and `unknown` for those that are not there. */
  readonly tool_calls: Counter<'tool' | 'outcome'>
  readonly desk_check_late_seconds: Histogram
  watchModel(part: 'embeddings' | 'model', read: () => ModelState): void
}

interface ModelState {
  readonly waiting: number
  /** Whether a call would be refused now. */
  readonly is_refusing: boolean
}

const fast = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

const counts = {
  embeddings_waiting: 'Texts that wait for their vectors, up to 100,000',
  embeddings_walked: 'Texts looked at since the model of vectors was changed; 0 when all have been',
}

export function createMetrics(read_limit_ms = readLimitMs): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const watched = (name: string, help: string) => (read: () => number) => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  const http_seconds = new SeriesHistogram({
    name: 'crewhall_http_request_seconds',
    help: 'Request duration, by contract id',
    labelNames: ['route', 'method', 'status'],
    buckets: fast,
  })
  const connection_wait_seconds = new SeriesHistogram({
    name: 'crewhall_database_connection_wait_seconds',
    help: 'Waits for a database connection, if there was one: none was free (pool), or the workspace had used up its share (share); by handle',
    labelNames: ['reason', 'handle'],
    buckets: fast,
  })
  const models = new Map<string, () => ModelState>()
  const watchedModels = (name: string, help: string, pick: (state: ModelState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['part'],
      registers,
      collect() {
        for (const [part, read] of models) this.set({ part }, pick(read()))
      },
    })
  watchedModels('crewhall_model_waiting', 'Calls that wait for a place', ({ waiting }) => waiting)
  watchedModels(
    'crewhall_model_breaker_open',
    '1 while calls are refused because the model is away',
    (state) => (state.is_refusing ? 1 : 0),
  )
  for (const each of [http_seconds, connection_wait_seconds])
    registry.registerMetric(each as unknown as Metric)
  return {
    registry,
    http_seconds,
    watchInFlight: watched('crewhall_http_in_flight', 'Requests in flight'),
    watchStreams: watched('crewhall_http_streams', 'Open event streams'),
    watchOldest: (what, read) => {
      const oldest = scrapedRead(read, read_limit_ms)
      new Gauge({
        name: `crewhall_oldest_${what}_seconds`,
        help: `Seconds that the oldest due ${what} has waited; 0 if none waits, -1 if unknown`,
        registers,
        async collect() {
          // The other metrics matter most while the database is down.
          this.set((await oldest()) ?? -1)
        },
      })
    },
    watchCounts: (read) => {
      // A scrape asks all gauges before it waits for the first, so they share one read.
      const shared = scrapedRead(read, read_limit_ms)
      for (const what of ['embeddings_waiting', 'embeddings_walked'] as const)
        new Gauge({
          name: `crewhall_${what}`,
          help: `${counts[what]}; -1 if unknown`,
          registers,
          async collect() {
            this.set((await shared())?.[what] ?? -1)
          },
        })
    },
    http_shed: fromZero(
      new Counter({
        name: 'crewhall_http_shed_total',
        help: 'Requests shed to protect the process',
        labelNames: ['reason'],
        registers,
      }),
      ['in_flight', 'event_loop', 'network_requests', 'network_sockets'].map((reason) => ({ reason })),
    ),
    job_seconds: new Histogram({
      name: 'crewhall_job_seconds',
      help: 'Duration of job attempts',
      labelNames: ['job', 'outcome'],
      buckets: [...fast, 10, 30, 60, 300],
      registers,
    }),
    job_wait_seconds: new Histogram({
      name: 'crewhall_job_wait_seconds',
      help: 'Time from due to start of a job',
      labelNames: ['job'],
      buckets: [...fast, 10, 30, 60, 300],
      registers,
    }),
    caller_lookups: new Counter({
      name: 'crewhall_caller_lookups_total',
      help: 'Caller lookups in the database, because the caller was not cached or had changed',
      labelNames: ['credential'],
      registers,
    }),
    connection_wait_seconds,
    turn_wait_seconds: new Histogram({
      name: 'crewhall_turn_wait_seconds',
      help: 'Waits of writes for their turn, such as on a board: in the queue without a connection, or for the lock itself',
      labelNames: ['kind', 'at'],
      buckets: fast,
      registers,
    }),
    model_seconds: new Histogram({
      name: 'crewhall_model_seconds',
      help: 'Duration of calls of models, waits for a place included, by outcome: ok, or why it failed',
      labelNames: ['part', 'purpose', 'outcome'],
      buckets: [...fast, 10, 30, 60],
      registers,
    }),
    model_tokens: new Counter({
      name: 'crewhall_model_tokens_total',
      help: 'Tokens sent to and received from models, as their endpoint counts them',
      labelNames: ['part', 'purpose', 'direction'],
      registers,
    }),
    model_standings: fromZero(
      new Counter({
        name: 'crewhall_model_standings_total',
        help: 'Calls of the model by where they stood against the daily limit of their workspace',
        labelNames: ['kind', 'standing'],
        registers,
      }),
      ['memory', 'recall'].flatMap((kind) =>
        ['below', 'near', 'withheld'].map((standing) => ({ kind, standing })),
      ),
    ),
    tool_calls: new Counter({
      name: 'crewhall_tool_calls_total',
      help: 'Calls of tools by name and outcome',
      labelNames: ['tool', 'outcome'],
      registers,
    }),
    desk_checks: new Counter({
      name: 'crewhall_desk_checks_total',
      help: 'Health checks of desks, by outcome and whether the desk was ready before',
      labelNames: ['outcome', 'was'],
      registers,
    }),
    desk_check_late_seconds: new Histogram({
      name: 'crewhall_desk_check_late_seconds',
      help: 'Time from due to start of a health check of a desk',
      buckets: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 5, 10, 30, 60],
      registers,
    }),
    watchModel: (part, read) => {
      models.set(part, read)
    },
    outages: new Counter({
      name: 'crewhall_outages_total',
      help: 'Calls that failed because a dependency was unavailable',
      labelNames: ['part', 'reason'],
      registers,
    }),
  }
}

/** A series that begins with its first event has no increase, so an alert on it would miss that one. */
function fromZero<T extends string>(
  counter: Counter<T>,
  series: readonly Partial<Record<T, string>>[],
): Counter<T> {
  for (const labels of series) counter.inc(labels, 0)
  return counter
}
