import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { SummaryCard } from './card-fields.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const relationKinds = ['blocks', 'blocked_by', 'parent', 'child', 'relates', 'duplicates'] as const
export type RelationKind = (typeof relationKinds)[number]

export const relationCycle = refusal(409, 'This relation would create a cycle')
export const hasOtherParent = refusal(409, 'The card already has a parent')
export const relationLimit = refusal(409, 'A card has at most 200 relations')

const Relation = z
  .object({
    /** What this card is to the other one. */
    kind: z.enum(relationKinds),
    task: z.object({
      id: Uuid,
      ref: z.string(),
      title: z.string(),
      status: z.string(),
      board_id: Uuid,
      source: SummaryCard.shape.source,
    }),
  })
  .meta({ id: 'CardRelation' })
export type Relation = z.infer<typeof Relation>
const Relations = z.object({ items: z.array(Relation) })

const params = z.object({ task_id: TaskId, kind: z.enum(relationKinds), other_id: TaskId })
const one = {
  ...boardFamily,
  params,
  resources: { task_id: 'card', kind: 'relation_kind', other_id: 'card_above' },
  missing: refused.cardNotFound,
} as const

export const listRelations = route({
  ...boardFamily,
  id: 'boards.listRelations',
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/relations',
  summary: 'List the relations of a card',
  description:
    '`kind` is from the point of view of this card: `blocks`, `blocked_by`, `relates`, `duplicates`, `parent` and so on.',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
  responses: { 200: Relations },
  refusals: [refused.cardNotFound],
})

export const addRelation = route({
  ...one,
  id: 'boards.addRelation',
  method: 'PUT',
  path: '/api/v1/board/tasks/{task_id}/relations/{kind}/{other_id}',
  summary: 'Relate two cards of the workspace',
  description:
    'The cards may be on different boards. A relation that would create a cycle gets 409. Repeating the call changes nothing.',
  responses: { 200: Relations },
  refusals: [refused.cardNotFound, refused.boardArchived, relationCycle, hasOtherParent, relationLimit],
})

export const removeRelation = route({
  ...one,
  id: 'boards.removeRelation',
  method: 'DELETE',
  path: '/api/v1/board/tasks/{task_id}/relations/{kind}/{other_id}',
  summary: 'Remove a relation',
  description: 'Repeating the call changes nothing.',
  responses: { 200: Relations },
  refusals: [refused.cardNotFound, refused.boardArchived],
})
