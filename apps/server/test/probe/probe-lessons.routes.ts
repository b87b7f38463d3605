import { walk } from '#modules/code-index'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { nearNaively } from './probe-lessons.contract.ts'

const count = brandStatement<{ nids: readonly number[] }, { lessons: number }>(
  (p) => sql`select count(distinct lesson_id)::int as lessons from lessons.anchor_ups
   where brand_id = ${p.brand_id} and nid = any(${p.nids}::int[])`,
)

export const probeLessonsMounted = () => [
  handle(nearNaively, async (ctx, { body: { project_id, node_id } }) => {
    const starts = { paths: [], node_ids: [node_id] }
    const walked = await walk(ctx, project_id, starts, {
      depth: 1,
      kinds: ['contains'],
      direction: 'out',
      hub_cap: 25,
    })
    const nids = [...(walked?.reached.values() ?? [])].filter(({ hops }) => hops === 0).map(({ nid }) => nid)
    const found = await ctx.db.first(count, { nids })
    return { reached_nodes: walked?.reached.size ?? 0, lessons: found?.lessons ?? 0 }
  }),
]
