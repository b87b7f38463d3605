import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { Timestamp, Uuid, words } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { Actor } from './card-fields.ts'
import { claimLost } from './claims.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const mostItems = 100

export const itemNotFound = refusal(404, 'Checklist item not found')
export const checklistLimit = refusal(409, `A card has at most ${mostItems} checklist items`)
export const noSuchItemBeside = refusal(400, 'before_id, after_id: no such item on this checklist')

const ItemText = words(500)
/** Texts of open items, in their order. */
export const NewChecklist = z.array(ItemText).min(1).max(mostItems)

export const ChecklistItem = z
  .object({
    id: Uuid,
    task_id: Uuid,
    text: z.string().max(500),
    done: z.boolean(),
    /** Who checked it; null while it is open. */
    done_by: Actor.nullable(),
    done_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'ChecklistItem' })
export type ChecklistItem = z.infer<typeof ChecklistItem>
const Checklist = z.object({ items: z.array(ChecklistItem).max(mostItems) })

/** As on a change of the card: if the claim has ended, nothing is written. */
const claim_epoch = z.int().min(1).optional()
const ofCard = {
  ...boardFamily,
  path: '/api/v1/board/tasks/{task_id}/checklist',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const
const one = {
  ...boardFamily,
  path: '/api/v1/board/checklist-items/{item_id}',
  params: z.object({ item_id: Uuid }),
  resources: { item_id: 'checklist_item' },
  missing: itemNotFound,
} as const

export const listChecklist = route({
  ...ofCard,
  id: 'boards.listChecklist',
  method: 'GET',
  summary: 'List the checklist of a card',
  description:
    'At most 100 items, in their order. `checklist_total` and `checklist_done` of the card count them together with the checkboxes in its acceptance criteria.',
  responses: { 200: Checklist },
  refusals: [refused.cardNotFound],
})

export const addChecklistItems = route({
  ...ofCard,
  id: 'boards.addChecklistItems',
  method: 'POST',
  summary: 'Add items to the end of a checklist',
  description:
    'Returns the whole checklist. A new card takes the same `checklist`, also in a batch. With `claim_epoch`, nothing is written if your claim has ended.',
  example: { body: { checklist: ['Oil the wheels', 'Print a table'] } },
  body: z.object({ checklist: NewChecklist, claim_epoch }),
  responses: { 201: Checklist },
  refusals: [refused.cardNotFound, refused.boardArchived, refused.cardArchived, checklistLimit, claimLost],
})

export const changeChecklistItem = route({
  ...one,
  id: 'boards.changeChecklistItem',
  method: 'PATCH',
  summary: 'Check, reopen, rewrite or move a checklist item',
  description:
    'Only the fields in the body change. An item keeps who checked it first. `before_id` or `after_id` names the item beside which it goes.',
  example: { body: { done: true } },
  body: z.object({
    text: ItemText.optional(),
    done: z.boolean().optional(),
    before_id: Uuid.optional(),
    after_id: Uuid.optional(),
    claim_epoch,
  }),
  resources: {
    item_id: 'checklist_item',
    'body.before_id': 'checklist_item_below',
    'body.after_id': 'checklist_item_above',
  },
  responses: { 200: ChecklistItem },
  refusals: [itemNotFound, refused.boardArchived, refused.cardArchived, noSuchItemBeside, claimLost],
})

export const removeChecklistItem = route({
  ...one,
  id: 'boards.removeChecklistItem',
  method: 'DELETE',
  summary: 'Remove a checklist item',
  description: 'Returns what is left of the checklist.',
  responses: { 200: Checklist },
  refusals: [itemNotFound, refused.boardArchived, refused.cardArchived],
})
