import { z } from 'zod'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { priorities, SummaryCard } from './card-fields.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

/** A card has at most this many relations. */
const mostChildren = 200

export const ChildCard = SummaryCard.extend({
  board_id: Uuid,
  board: z.string(),
  priority: z.enum(priorities),
  estimate: z.number().nullable(),
}).meta({ id: 'ChildCard' })
export type ChildCard = z.infer<typeof ChildCard>

const Progress = z
  .object({
    /** Sub-tasks that are neither archived nor canceled. */
    total: z.int(),
    done: z.int(),
    /** Sums over the same cards, in the unit of the team. */
    estimate: z.number(),
    estimate_done: z.number(),
    /** How many of them have no estimate. */
    unestimated: z.int(),
  })
  .meta({ id: 'ChildProgress' })
export type Progress = z.infer<typeof Progress>

export const listChildren = route({
  ...boardFamily,
  id: 'boards.listChildren',
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/children',
  summary: 'List the sub-tasks of a card and their progress',
  description:
    'At most 200, in the order in which they became sub-tasks; archived ones are omitted. They may be on any board of the workspace. A card becomes a sub-task with `PUT tasks/{task_id}/relations/parent/{other_id}`.',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
  responses: { 200: z.object({ items: z.array(ChildCard).max(mostChildren), progress: Progress }) },
  refusals: [refused.cardNotFound],
})
