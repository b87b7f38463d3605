import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '@crewhall/testkit/databases.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { median } from '../median.ts'
import { type CheckLine, ms, percentile } from '../memory/check-line.ts'

const walks = fileURLToPath(new URL('../../apps/server/test/walks/walk-process.ts', import.meta.url))
const check = 'walks'
const mostStatements = 12
const mostNodes = 1_000

type Message =
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
export async function checkWalks(nodes: number, rounds: number): Promise<CheckLine[]> {
  const database = await createDatabase(`bench_walks_${process.pid}`)
  try {
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    const order = { database: database.name, database_url: database.url, nodes, rounds }
    return await linesOf(order)
  } finally {
    await database.drop()
  }
}

function linesOf(order: { readonly nodes: number; readonly rounds: number }): Promise<CheckLine[]> {
  const lines: CheckLine[] = []
  const all: Figures[] = []
  const began = performance.now()
  const child = fork(walks, { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message.type === 'filled') {
        const took = ((performance.now() - began) / 1000).toFixed(0)
        const size = `${message.nodes} nodes, ${message.edges} edges, at most ${message.top_degree} of a node`
        lines.push({ check, what: 'graph', measured: `${size}; filled in ${took} s` })
      } else {
        all.push(message.figures)
        lines.push(...linesOfCase(message.figures))
      }
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve([...lines, ...promises(all)])
      else reject(new Error(`the process that walks ended (${code})`))
    })
    child.send(order)
  })
}

function linesOfCase({ what, p95_bar_ms, first_ms, again_ms, bare_ms, late }: Figures): CheckLine[] {
  const p95 = percentile(first_ms, 0.95)
  const ratio = median(again_ms.map((time, at) => time / (bare_ms[at] ?? Number.NaN)))
  const bare = `bare ${ms(percentile(bare_ms, 0.5))} / ${ms(percentile(bare_ms, 0.95))}`
  const again = `again ${ms(percentile(again_ms, 0.5))} / ${ms(percentile(again_ms, 0.95))}`
  return [
    {
      check,
      what: `${what}, p50 / p95`,
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
