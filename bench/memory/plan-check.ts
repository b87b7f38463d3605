import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import type { SentStatement } from '@crewhall/testkit/sent-statements.ts'
import type pg from 'pg'
import { type Asked, lookups } from './bare-search.ts'
import type { CheckLine } from './check-line.ts'
import { agentName, largeAgent, type Sizes } from './many-memories.ts'
import type { MemoryHost, Workspace } from './memory-host.ts'

const tables = ['memories', 'embeddings']

/** How the statements of a search find their rows: from an index, and none but those of the agent. */
export async function checkPlans(
  host: MemoryHost,
  workspace: Workspace,
  { each, large, agents }: Sizes,
  asked: readonly Asked[],
): Promise<CheckLine[]> {
  const pool = host.bare(workspace)
  const lines: CheckLine[] = []
  for (const [agent, size] of [
    [agentName(agents >> 1), each],
    [largeAgent, large],
  ] as const) {
    for (const kind of ['words', 'meaning', 'page'] as const) {
      const seen = new Set<string>()
      let most = 0
      let scans = 0
      for (const one of asked) {
        const sent = lookups(workspace, { ...one, agent })
        const ids = (await pool.query<{ id: string }>(sent.meaning)).rows.slice(0, 10).map(({ id }) => id)
        const nodes = await planOf(pool, kind === 'page' ? sent.page(ids) : sent[kind])
        for (const node of nodes) if (node['Index Name']) seen.add(node['Index Name'])
        const reading = nodes.filter((node) => tables.includes(node['Relation Name'] ?? ''))
        scans += reading.filter((node) => node['Node Type'] === 'Seq Scan').length
        for (const name of tables) most = Math.max(most, readBy(reading, name))
      }
      // Of a small agent all memories are read for each word, which costs less than an index of words.
      const mostByWords = size > 10_000 ? size : 8 * size
      const bar = { page: 10, words: mostByWords, meaning: size }[kind]
      lines.push({
        check: 'plans',
        what: `${kind} in an agent with ${size} memories, ${asked.length} questions`,
        measured: `${scans} scans of a table, at most ${most} rows of one read, by ${[...seen].join(', ')}`,
        bar: `0, ${bar}`,
        is_met: scans === 0 && most <= bar,
        is_promise: true,
      })
    }
  }
  return lines
}

const readBy = (nodes: readonly PlanNode[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
    }, 0)

async function planOf(pool: pg.Pool, { text, values }: SentStatement): Promise<PlanNode[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({
    text: `explain (analyze, timing off, format json) ${text}`,
    values,
  })
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  return plan ? planNodes(plan).filter((node) => node['Actual Loops'] > 0) : []
}
