import { z } from 'zod'
import { Timestamp, Uuid } from '../wire.ts'

/** BRD-G2: the meaning behind a column, whatever it is called. */
export const cardStatuses = ['pending', 'in_progress', 'blocked', 'review', 'done', 'canceled'] as const
export type CardStatus = (typeof cardStatuses)[number]
export const priorities = ['none', 'low', 'medium', 'high', 'urgent'] as const
export const prStates = ['draft', 'open', 'merged', 'closed'] as const
export const cardTaskTypes = ['coding', 'docs', 'research', 'design', 'test'] as const

/** Somebody who works: a person of the workspace, a guest, an agent for somebody, or the platform. */
export const Actor = z
  .object({
    kind: z.enum(['member', 'guest', 'agent', 'system']),
    id: z.string(),
    name: z.string(),
    /** The person whose credential an agent uses. */
    on_behalf_of: z.object({ id: z.string(), name: z.string() }).nullable(),
  })
  .meta({ id: 'BoardActor' })
export type Actor = z.infer<typeof Actor>

export const Worker = z
  .object({ kind: z.enum(['member', 'agent']), id: z.string(), name: z.string() })
  .meta({ id: 'BoardWorker' })
export type Worker = z.infer<typeof Worker>

const Claim = z
  .object({ claim_id: Uuid, holder: Actor, epoch: z.int(), expires_at: Timestamp })
  .meta({ id: 'CardClaim' })

const when = Timestamp.nullable()
const words = z.string().nullable()

/** Enough to find a card, see how far it is and who has it. Every list can be had like this. */
const summaryFields = {
  /** Never changes. */
  id: Uuid,
  /** For people: key of the board and number, such as `CORE-12`. */
  ref: z.string(),
  title: z.string(),
  status: z.enum(cardStatuses),
  column: z.object({ id: Uuid, name: z.string() }),
  /** Who is to do it. */
  assignee: Worker.nullable(),
  /** Delivery header: where the work is. */
  branch: words,
  pr_number: z.int().nullable(),
  pr_state: z.enum(prStates).nullable(),
}

const standardFields = {
  /** Counts from 1 within the board. */
  number: z.int(),
  board_id: Uuid,
  /** Name of the board. */
  board: z.string(),
  /** What the work belongs to, as the board says. */
  project_id: Uuid.nullable(),
  /** Selects the profile that a build recommends itself by. */
  task_type: z.enum(cardTaskTypes),
  priority: z.enum(priorities),
  labels: z.array(z.string()),
  /** In whatever unit the team counts. */
  estimate: z.number().nullable(),
  /** What it is about, in a few lines. */
  description: z.string(),
  /** Sorts within the column; compare as bytes. */
  rank: z.string(),
  /** One more with each change. */
  version: z.int(),
  /** An agent that works for the assignee. */
  delegate: Worker.nullable(),
  /** Who wants it. */
  reporter: Actor,
  created_by: Actor,
  updated_by: Actor,
  /** Where the texts of the card come from: a guest's as soon as a guest has written into them. */
  source: z.enum(['member', 'guest', 'agent', 'import']),
  /** The caller's own name for it; at most one card of a board has it. */
  client_ref: words,
  parent_id: Uuid.nullable(),
  /** Cards that have to be done before this one. */
  blocked_by: z.array(Uuid),
  /** How many of them are not done yet. */
  open_blockers: z.int(),
  /** How many cards wait for this one. */
  blocks_count: z.int(),
  children_count: z.int(),
  comments_count: z.int(),
  attachments_count: z.int(),
  runs_count: z.int(),
  /** Boxes in the acceptance criteria, and how many are ticked. */
  checklist_total: z.int(),
  checklist_done: z.int(),
  /** Why it waits, in words. */
  blocked_reason: words,
  repository: words,
  base_branch: words,
  commit_sha: words,
  pr_url: words,
  merged_at: when,
  /** What an agent is told; `profile` names a coder profile. */
  agent_context: z.record(z.string(), z.unknown()),
  /** Who works on it at this moment; null when nobody does or the lease has run out. */
  claim: Claim.nullable(),
  /** Rises with every claim and when one ends; a write that carries one has to hold the card under it. */
  claim_epoch: z.int(),
  /** Not done, not blocked, not claimed, and not in the words of a guest. */
  is_ready: z.boolean(),
  last_run_id: Uuid.nullable(),
  last_run_status: words,
  last_run_at: when,
  /** Sum over all runs. */
  usage_tokens: z.int(),
  usage_cost_micros: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** In its column since. */
  moved_at: Timestamp,
  /** First time in progress. */
  started_at: when,
  /** Done or canceled since. */
  completed_at: when,
  start_at: when,
  due_at: when,
  last_commented_at: when,
  archived_at: when,
}

/** Long texts: what to do, and what came of it. */
export const longFields = {
  instructions: z.string(),
  acceptance_criteria: z.string(),
  plan: z.string(),
  notes: z.string(),
  result: z.string(),
  review: z.string(),
  log: z.string(),
}
export const longFieldNames = Object.keys(longFields) as (keyof typeof longFields)[]

export const SummaryCard = z.object(summaryFields).meta({ id: 'SummaryCard' })
export const StandardCard = z.object({ ...summaryFields, ...standardFields }).meta({ id: 'StandardCard' })
/** BRD-08: 67 fields, all of them always there. */
export const FullCard = z
  .object({ ...summaryFields, ...standardFields, ...longFields })
  .meta({ id: 'FullCard' })
/** A card in a list: `summary` always, the rest as the detail asks for. */
export const ListedCard = SummaryCard.extend({
  ...StandardCard.omit(masked(summaryFields)).partial().shape,
  ...z.object(longFields).partial().shape,
}).meta({ id: 'ListedCard' })

function masked<T extends object>(fields: T) {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, true])) as { [K in keyof T]: true }
}

export type SummaryCard = z.infer<typeof SummaryCard>
export type StandardCard = z.infer<typeof StandardCard>
export type FullCard = z.infer<typeof FullCard>
