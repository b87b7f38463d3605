import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearByReference } from './near-reference.ts'
import { graphOf, type RandomGraph, type RandomQuery, seedGraph, shapes } from './random-graph.ts'
import { ReadingWorkspace } from './reading-world.ts'

const graphs = scaled(2000, 60)
const server = useSharedServer('product')

/** The root has no place that an anchor may name. */
function sent({ nodes }: RandomGraph, { starts, by_id, ...query }: RandomQuery) {
  const paths: string[] = []
  const node_ids: string[] = []
  for (const [n, number] of starts.entries()) {
    const node = nodes.find((each) => each.number === number)
    if (!node) continue
    // What died may have a living namesake only by its place.
    if (by_id[n] || node.path === '') node_ids.push(node.id)
    else paths.push(node.place)
  }
  return { ...query, paths, node_ids }
}

test(`LES-23 LES-25 LES-30 LES-36 LES-40 LES-43 LES-44: near is what the clauses say, on ${graphs} random graphs`, {
  timeout: 1_200_000,
}, async () => {
  const admin = await server.connection('superuser')
  const work = await ReadingWorkspace.open(server, admin)
  let last = 0
  const seen = { damped: 0, cut: 0, more: 0, far: 0 }
  await fc.assert(
    fc.asyncProperty(fc.noBias(shapes), async (shape) => {
      const graph = graphOf(shape, last)
      last += graph.nodes.length
      const project_id = await work.newProject()
      await seedGraph(admin, { brand_id: work.brand_id, project_id }, graph)
      for (const query of graph.queries) {
        const { status, body } = await work.near(project_id, sent(graph, query))
        expect(status).toBe(200)
        const expected = nearByReference(graph, query)
        const entries = body.entries.map(({ id, pinned, hops, via_node_id, path_to }) => ({
          ...{ id, pinned, hops, via_node_id, path_to },
        }))
        expect({ ...body, entries }).toEqual(expected)
        if (body.damped.length > 0) seen.damped += 1
        if (body.reached_nodes === 1000) seen.cut += 1
        if (body.truncated && body.reached_nodes < 1000) seen.more += 1
        if (body.entries.some(({ hops }) => hops > 1)) seen.far += 1
      }
    }),
    { numRuns: graphs, endOnFailure: true },
  )
  // Each of these is judged only if it happens.
  expect(seen.damped + seen.more + seen.far).toBeGreaterThan(0)
  if (graphs >= 500) expect(Math.min(seen.damped, seen.more, seen.far, seen.cut)).toBeGreaterThan(0)
})
