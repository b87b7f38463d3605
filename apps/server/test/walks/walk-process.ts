import { readServiceFacts } from '@crewhall/services/facts.ts'
import { adminUrl, connectTo } from '@crewhall/testkit/databases.ts'
import type pg from 'pg'
import { walk } from '#modules/code-index'
import { type BrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import { loadConfig } from '../../src/config.ts'
import { createParts } from '../../src/parts.ts'
import { around, recorded, type SentStatement } from './recorded-walk.ts'
import { type WalkCase, walkCases } from './walk-cases.ts'
import { makeWideGraph, startsIn, type WideGraph } from './wide-graph.ts'

// The bench starts it with a database: it fills that, walks, and tells times. The same statements are sent by the driver
// alone, in turns with ours.

interface Order {
  readonly database: string
  readonly database_url: string
  readonly nodes: number
  readonly rounds: number
  /** Longest time of a case, whose rounds are fewer then. */
  readonly case_ms: number
}

export interface WalkFigures {
  readonly what: string
  readonly p95_bar_ms: number | undefined
  /** Of the first walk from each start. */
  readonly first_ms: readonly number[]
  /** Of the second one, and of its statements sent by the driver alone. */
  readonly again_ms: readonly number[]
  readonly bare_ms: readonly number[]
  /** Rounds with a walk that has ended after two seconds. */
  readonly late: number
  readonly most_statements: number
  readonly most_nodes: number
  readonly is_same_again: boolean
}

export type FromWalks =
  | { readonly type: 'filling'; readonly what: string; readonly seconds: number }
  | { readonly type: 'filled'; readonly nodes: number; readonly edges: number; readonly top_degree: number }
  | { readonly type: 'walked'; readonly figures: WalkFigures }

const tell = (message: FromWalks) => process.send?.(message)
const canceled = '57014'
/** Connections open and statements are prepared before anything counts. */
const warming = 10

process.once('message', async ({ database, database_url, nodes, ...most }: Order) => {
  const { redis } = readServiceFacts()
  const config = loadConfig({ DATABASE_URL: database_url, REDIS_URL: redis.url, LOG_LEVEL: 'silent' })
  const parts = await createParts(config, 'worker')
  const admin = await connectTo(adminUrl(database))
  const bare = await connectTo(database_url)
  const graph = await makeWideGraph(admin, nodes, (what, seconds) => tell({ type: 'filling', what, seconds }))
  tell({ type: 'filled', nodes, edges: graph.edges, top_degree: await topDegree(admin) })
  const ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'bench' }).forBrand(graph.brand_id)
  for (const each of walkCases)
    tell({ type: 'walked', figures: await measure({ ctx, admin, bare, graph }, each, most) })
  await Promise.all([admin.end(), bare.end(), parts.close()])
  process.disconnect?.()
})

async function topDegree(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ top: number }>(
    'select max(import_degree) as top from code_index.nodes',
  )
  return rows[0]?.top ?? 0
}

type Most = Pick<Order, 'rounds' | 'case_ms'>

interface Contestants {
  readonly ctx: BrandCtx
  readonly admin: pg.Client
  readonly bare: pg.Client
  readonly graph: WideGraph
}

async function measure(by: Contestants, each: WalkCase, most: Most): Promise<WalkFigures> {
  const due = performance.now() + most.case_ms
  const warm = performance.now() + most.case_ms / 5
  const first_ms: number[] = []
  const again_ms: number[] = []
  const bare_ms: number[] = []
  let [most_statements, most_nodes, late, is_same_again] = [0, 0, 0, true]
  for (let round = -warming; round < most.rounds && performance.now() < due; round += 1) {
    // Where a walk takes seconds, starting up is a small part of it.
    if (round < 0 && performance.now() > warm) round = 0
    const node_ids = await startsIn(by.admin, by.graph, each, round + warming)
    const go = (ctx: BrandCtx) => inTime(walk(ctx, by.graph.project_id, { paths: [], node_ids }, each.query))
    const noted = recorded(by.ctx)
    const [walked, firstMs] = await timed(() => go(noted.ctx))
    if (round >= 0) first_ms.push(firstMs)
    most_statements = Math.max(most_statements, noted.sent.length + around)
    most_nodes = Math.max(most_nodes, walked?.reached.size ?? 0)
    const [isBareInTime, bareMs] = await timed(() => sendBare(by.bare, by.graph.brand_id, noted.sent))
    const [again, againMs] = await timed(() => go(by.ctx))
    if (!walked || !again || !isBareInTime) {
      late += 1
      continue
    }
    is_same_again &&= JSON.stringify([...walked.reached]) === JSON.stringify([...again.reached])
    if (round < 0) continue
    again_ms.push(againMs)
    bare_ms.push(bareMs)
  }
  const times = { first_ms, again_ms, bare_ms, late }
  return { what: each.what, p95_bar_ms: each.p95_ms, ...times, most_statements, most_nodes, is_same_again }
}

/** Nothing for a walk that has taken more than its two seconds, which it may on a busy machine. */
const inTime = <T>(walked: Promise<T>): Promise<T | undefined> =>
  walked.catch((error: unknown) => {
    if (error instanceof Outage) return undefined
    throw error
  })

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now()
  const result = await work()
  return [result, performance.now() - begun]
}

/** Whether it was in time: among the statements is the one that sets the limit of a walk. */
async function sendBare(
  client: pg.Client,
  brandId: number,
  sent: readonly SentStatement[],
): Promise<boolean> {
  await client.query('begin isolation level repeatable read read only')
  try {
    await client.query('select platform.enter_brand($1, null, null, null, null)', [brandId])
    for (const { name, text, values } of sent) await client.query({ name, text, values: [...values] })
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== canceled) throw error
    return false
  } finally {
    await client.query('rollback')
  }
}
