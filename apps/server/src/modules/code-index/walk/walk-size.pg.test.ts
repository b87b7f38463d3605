import { scaled } from '@crewhall/testkit/rounds.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { walk } from '#modules/code-index'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { around, recorded } from '../../../../test/walks/recorded-walk.ts'
import { walkCases } from '../../../../test/walks/walk-cases.ts'
import { makeWideGraph, startsIn, type WideGraph } from '../../../../test/walks/wide-graph.ts'

// Times are judged by `npm run bench -- code --only=walks`, on a million nodes.

let bed: CodeIndexBed
let graph: WideGraph
beforeAll(async () => {
  bed = await CodeIndexBed.open()
  graph = await makeWideGraph(bed.admin, scaled(1_000_000, 20_000))
}, 1_200_000)
afterAll(() => bed.close())

test.each(walkCases)(
  'a walk in $what ends within 1,000 nodes and 12 statements, the same twice',
  async (each) => {
    for (let round = 0; round < scaled(50, 2); round += 1) {
      const node_ids = await startsIn(bed.admin, graph, each, round)
      const go = (ctx: ReturnType<typeof bed.in>) =>
        walk(ctx, graph.project_id, { paths: [], node_ids }, each.query)
      const noted = recorded(bed.in(graph.brand_id))
      const walked = await walk(noted.ctx, graph.project_id, { paths: [], node_ids }, each.query)
      expect(noted.sent.length + around).toBeLessThanOrEqual(12)
      expect(walked?.reached.size).toBeGreaterThan(node_ids.length)
      expect(walked?.reached.size).toBeLessThanOrEqual(1000)
      const again = await go(bed.in(graph.brand_id))
      expect([...(again?.reached.keys() ?? [])]).toEqual([...(walked?.reached.keys() ?? [])])
    }
  },
)

test('degrees of the graph are those of its edges', async () => {
  const { rows } = await bed.admin.query(
    `select n.nid from code_index.nodes n
     left join (select nid, count(*) filter (where kind < 2) as imports, count(*) filter (where kind = 2) as calls
       from (select src as nid, kind from code_index.edges union all select dst, kind from code_index.edges) e
       group by nid) d on d.nid = n.nid
     left join (select parent_nid as nid, count(*) as children from code_index.nodes group by 1) c on c.nid = n.nid
     where n.brand_id = $1 and (n.import_degree <> coalesce(d.imports, 0) or n.call_degree <> coalesce(d.calls, 0)
       or n.contains_degree <> coalesce(c.children, 0) + (n.parent_nid is not null)::int) limit 5`,
    [graph.brand_id],
  )
  expect(rows).toEqual([])
})
