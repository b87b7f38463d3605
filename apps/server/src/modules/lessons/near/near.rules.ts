import type { LessonBrief } from '@crewhall/contracts/lessons/brief.ts'
import type { NearLesson, NearLessons, NearOutage } from '@crewhall/contracts/lessons/near.ts'

/** A lesson at its nearest node. */
export interface FoundLesson extends LessonBrief {
  readonly hops: number
  readonly nid: number
}

type Way = Pick<NearLesson, 'via_node_id' | 'path_to'>

export interface Walk {
  readonly reached_nodes: number
  readonly damped: NearLessons['damped']
  readonly is_truncated: boolean
}

/** LES-39, LES-40: `found` has one more than the limit, if there are more. */
export function nearLessons(
  { reached_nodes, damped, is_truncated }: Walk,
  found: readonly FoundLesson[],
  limit: number,
  wayTo: (nid: number) => Way,
): NearLessons {
  return {
    entries: found.slice(0, limit).map(({ nid, hops, ...lesson }) => ({ ...lesson, hops, ...wayTo(nid) })),
    reached_nodes,
    damped: [...damped],
    truncated: is_truncated || found.length > limit,
    degraded: null,
  }
}

/** LES-G8: what was reached is known when only the lessons are away. */
export const degradedNear = (degraded: NearOutage, reached_nodes = 0): NearLessons => ({
  entries: [],
  reached_nodes,
  damped: [],
  truncated: false,
  degraded,
})
