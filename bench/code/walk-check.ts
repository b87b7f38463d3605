import { fork } from 'node:child_process'
import { on, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '@crewhall/testkit/databases.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { median } from '../median.ts'
import { type CheckLine, ms, percentile } from '../memory/check-line.ts'

const walks = fileURLToPath(new URL('../../apps/server/test/walks/walk-process.ts', import.meta.url))
const check = 'walks'
const mostStatements = 12
const mostNodes = 1_000
/** Walks from 50 hubs take seconds each, and all cases together have to end in minutes. */
const caseMs = 25_000

type Message =
  | { type: 'filling'; what: string; seconds: number }
  | { type: 'filled'; nodes: number; edges: number; top_degree: number }
  | { type: 'walked'; figures: Figures }

interface Figures {
  readonly what: string
  readonly p95_bar_ms?: number
  readonly first_ms: readonly number[]
  readonly again_ms: readonly number[]
  readonly bare_ms: readonly number[]
  readonly late: number
  readonly most_statements: number
  readonly most_nodes: number
  readonly is_same_again: boolean
}

/** Walks over a graph that the database has made, beside their statements sent by the driver alone. */
export async function* checkWalks(nodes: number, rounds: number): AsyncGenerator<CheckLine> {
  const database = await createDatabase(`bench_walks_${process.pid}`)
  try {
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    const order = { database: database.name, database_url: database.url, nodes, rounds, case_ms: caseMs }
    yield* linesOf(order)
  } finally {
    await database.drop()
  }
}

async function* linesOf(order: object): AsyncGenerator<CheckLine> {
  const all: Figures[] = []
  const child = fork(walks, { stdio: 'inherit' })
  const ended = once(child, 'exit')
  try {
    const messages = on(child, 'message', { close: ['disconnect'] })
    child.send(order)
    for await (const [message] of messages as AsyncIterable<[Message]>) {
      if (message.type === 'filling')
        yield { check, what: message.what, measured: `${message.seconds.toFixed(0)} s` }
      else if (message.type === 'filled') {
        const size = `${message.nodes} nodes, ${message.edges} edges, at most ${message.top_degree} of a node`
        yield { check, what: 'graph', measured: size }
      } else {
        all.push(message.figures)
        yield* linesOfCase(message.figures)
      }
    }
  } finally {
    // Whoever reads the lines has had enough of them.
    if (child.connected) child.kill()
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`the process that walks ended (${code})`)
  yield* promises(all)
}

function linesOfCase({ what, p95_bar_ms, first_ms, again_ms, bare_ms, late }: Figures): CheckLine[] {
  const p95 = percentile(first_ms, 0.95)
  const ratio = median(again_ms.map((time, at) => time / (bare_ms[at] ?? Number.NaN)))
  const bare = `bare ${ms(percentile(bare_ms, 0.5))} / ${ms(percentile(bare_ms, 0.95))}`
  const again = `again ${ms(percentile(again_ms, 0.5))} / ${ms(percentile(again_ms, 0.95))}`
  return [
    {
      check,
      what: `${what}, p50 / p95 of ${first_ms.length}`,
      measured: `${ms(percentile(first_ms, 0.5))} / ${ms(p95)} ms${late > 0 ? `; ${late} over 2 s` : ''}`,
      ...(p95_bar_ms === undefined ? {} : { bar: `p95 ${p95_bar_ms} ms`, is_met: p95 <= p95_bar_ms }),
    },
    { check, what: `${what}, of the driver alone`, measured: `${ratio.toFixed(2)} (${again}, ${bare} ms)` },
  ]
}

function promises(all: readonly Figures[]): CheckLine[] {
  const statements = Math.max(...all.map(({ most_statements }) => most_statements))
  const nodes = Math.max(...all.map(({ most_nodes }) => most_nodes))
  const isSame = all.every(({ is_same_again }) => is_same_again)
  const line = (what: string, measured: string, bar: string, is_met: boolean): CheckLine => ({
    check,
    what,
    measured,
    bar,
    is_met,
    is_promise: true,
  })
  return [
    line('statements of a walk', `${statements}`, `${mostStatements}`, statements <= mostStatements),
    line('nodes of a walk', `${nodes}`, `${mostNodes}`, nodes <= mostNodes),
    line('the same again', isSame ? 'always' : 'not always', 'always', isSame),
  ]
}
