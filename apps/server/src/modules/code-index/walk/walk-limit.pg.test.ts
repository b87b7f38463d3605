import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import { expect, test } from 'vitest'
import { isReady, walk } from '#modules/code-index'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { walkCases } from '../../../../test/walks/walk-cases.ts'
import { makeWideGraph, startsIn } from '../../../../test/walks/wide-graph.ts'

test('a walk that needs more than 2 s is an outage of the code index, and leaves its connection to others', async () => {
  // A worker would let a statement run for a minute.
  const env = { DATABASE_POOL_SIZE: '2', DATABASE_STATEMENT_TIMEOUT_MS: '60000' }
  await using stack = new AsyncDisposableStack()
  const bed = await CodeIndexBed.open(env)
  stack.defer(() => bed.close())
  const onlooker = await connect(bed.database, 'superuser')
  stack.defer(() => onlooker.end())
  const graph = await makeWideGraph(bed.admin, 2_000)
  const [standard] = walkCases
  if (!standard) throw new Error('there is no case')
  const node_ids = await startsIn(bed.admin, graph, standard, 0)
  const ctx = bed.in(graph.brand_id)
  const go = () => walk(ctx, graph.project_id, { paths: [], node_ids }, standard.query)
  const waiting = async () => {
    const { rows } = await onlooker.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count
  }

  await bed.admin.query('begin; lock table code_index.edges in access exclusive mode')
  const walks = Promise.allSettled(Array.from({ length: 6 }, go))
  await waitFor(async () => (await waiting()) === 2, 10_000)
  for (const walked of await walks)
    expect(walked).toMatchObject({ status: 'rejected', reason: { part: 'code_index', reason: 'timeout' } })
  // The table is still locked: a statement that waited on would hold its connection for a minute.
  await waitFor(async () => (await waiting()) === 0, 20_000)
  expect(await isReady(ctx, graph.project_id)).toBe(true)

  await bed.admin.query('rollback')
  expect((await go())?.reached.size).toBeGreaterThan(1)
})
