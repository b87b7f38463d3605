import type { z } from 'zod'
import { Actor, FullCard, Worker } from './card-fields.ts'
import { CardChange, NewCard } from './cards.ts'
import { Comment } from './comments.ts'

// What a guest sees of a card, field by field, so that a new field is not shown by accident: the work and its progress.
// Not shown: context for agents, cost, ids that would let a caller act for a worker, and ids of resources that may be
// on boards the guest cannot open.

const summary = ['id', 'ref', 'title', 'status', 'column', 'branch', 'pr_number', 'pr_state'] as const
export const plainSharedFields = [
  ...summary,
  ...(['number', 'board_id', 'board', 'task_type', 'priority', 'labels', 'estimate', 'description'] as const),
  ...(['rank', 'version', 'source', 'open_blockers', 'blocks_count', 'children_count'] as const),
  ...(['comments_count', 'attachments_count', 'checklist_total', 'checklist_done'] as const),
  ...(['blocked_reason', 'repository', 'base_branch', 'commit_sha', 'pr_url', 'merged_at'] as const),
  ...(['created_at', 'updated_at', 'moved_at', 'started_at', 'completed_at', 'start_at'] as const),
  ...(['due_at', 'last_commented_at', 'archived_at', 'acceptance_criteria', 'result'] as const),
] as const

/** By name only: ids of people and credentials are not for guests. */
const SharedActor = Actor.pick({ kind: true, name: true }).meta({ id: 'SharedActor' })
const SharedWorker = Worker.pick({ kind: true, name: true }).meta({ id: 'SharedWorker' })
const people = {
  assignee: SharedWorker.nullable(),
  delegate: SharedWorker.nullable(),
  reporter: SharedActor,
  created_by: SharedActor,
  updated_by: SharedActor,
}

export const peopleOfSharedCard = Object.keys(people) as (keyof typeof people)[]

/** A card as a guest of its board sees it. */
export const SharedCard = FullCard.pick(masked(plainSharedFields)).extend(people).meta({ id: 'SharedCard' })
export type SharedCard = z.infer<typeof SharedCard>

/** A shared card in a list: `summary` always, the rest as the detail asks for. */
export const SharedListedCard = SharedCard.partial()
  .extend(SharedCard.pick({ ...masked(summary), assignee: true }).shape)
  .meta({ id: 'SharedListedCard' })
export type SharedListedCard = z.infer<typeof SharedListedCard>

export const SharedComment = Comment.extend({ author: SharedActor }).meta({ id: 'SharedComment' })
export type SharedComment = z.infer<typeof SharedComment>

/** No text that agents act on, such as instructions, and no assignee. */
const writable = masked(['title', 'description', 'labels', 'priority', 'column', 'status'])
export const GuestNewCard = NewCard.pick(writable)
export type GuestNewCard = z.infer<typeof GuestNewCard>
export const GuestCardChange = CardChange.pick(writable)
export type GuestCardChange = z.infer<typeof GuestCardChange>

function masked<const Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, true])) as { [N in Name]: true }
}
