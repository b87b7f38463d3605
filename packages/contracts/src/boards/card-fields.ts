import { z } from 'zod'
import { Timestamp, Uuid } from '../wire.ts'

/** BRD-G2: the meaning of a column, whatever its name. */
export const cardStatuses = ['pending', 'in_progress', 'blocked', 'review', 'done', 'canceled'] as const
export type CardStatus = (typeof cardStatuses)[number]
export const priorities = ['none', 'low', 'medium', 'high', 'urgent'] as const
export const prStates = ['draft', 'open', 'merged', 'closed'] as const
export const cardTaskTypes = ['coding', 'docs', 'research', 'design', 'test'] as const

/** Who acts: a member, a guest, an agent on behalf of a person, or the platform. */
export const Actor = z
  .object({
    kind: z.enum(['member', 'guest', 'agent', 'system']),
    id: z.string(),
    name: z.string(),
    /** The person whose credential an agent uses. */
    on_behalf_of: z.object({ id: z.string(), name: z.string() }).nullable(),
    /** Only if the token belongs to an agent of the workspace. */
    agent_id: z.string().optional(),
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

/** Enough to find a card and see its progress and assignee. Every list offers this level of detail. */
const summaryFields = {
  /** Never changes. */
  id: Uuid,
  /** For people: key of the board and number, such as `CORE-12`. */
  ref: z.string(),
  title: z.string(),
  status: z.enum(cardStatuses),
  column: z.object({ id: Uuid, name: z.string() }),
  /** Who is responsible for the work. */
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
  /** The project that the work belongs to, as set on the board. */
  project_id: Uuid.nullable(),
  /** Selects the profile that a build recommends itself by. */
  task_type: z.enum(cardTaskTypes),
  priority: z.enum(priorities),
  labels: z.array(z.string()),
  /** In the unit of the team. */
  estimate: z.number().nullable(),
  /** A short description. */
  description: z.string(),
  /** Sorts within the column; compare as bytes. */
  rank: z.string(),
  /** Incremented by each change. */
  version: z.int(),
  /** An agent that works for the assignee. */
  delegate: Worker.nullable(),
  /** Who requested it. */
  reporter: Actor,
  created_by: Actor,
  updated_by: Actor,
  /** The source of the card's texts: `guest` once a guest has written any of them. */
  source: z.enum(['member', 'guest', 'agent', 'import']),
  /** The caller's own name for the card, unique on the board. */
  client_ref: words,
  parent_id: Uuid.nullable(),
  /** Cards that block this one. */
  blocked_by: z.array(Uuid),
  /** How many blockers are still open. */
  open_blockers: z.int(),
  /** How many cards this one blocks. */
  blocks_count: z.int(),
  children_count: z.int(),
  comments_count: z.int(),
  attachments_count: z.int(),
  runs_count: z.int(),
  /** Items of the checklist and checkboxes in the acceptance criteria, and how many are checked. */
  checklist_total: z.int(),
  checklist_done: z.int(),
  /** Why the card is blocked, as free text. */
  blocked_reason: words,
  repository: words,
  base_branch: words,
  commit_sha: words,
  pr_url: words,
  merged_at: when,
  /** Context for agents; `profile` names a coder profile. */
  agent_context: z.record(z.string(), z.unknown()),
  /** The current claim; null if there is none or its lease has expired. */
  claim: Claim.nullable(),
  /** Incremented when a claim starts or ends; a write that carries an epoch must hold the claim of that epoch. */
  claim_epoch: z.int(),
  /** Not finished, not blocked, not claimed, and without text from a guest. */
  is_ready: z.boolean(),
  last_run_id: Uuid.nullable(),
  last_run_status: words,
  last_run_at: when,
  /** Sum over all runs. */
  usage_tokens: z.int(),
  usage_cost_micros: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** When the card entered its column. */
  moved_at: Timestamp,
  /** When the card was first in progress. */
  started_at: when,
  /** When the card was done or canceled. */
  completed_at: when,
  start_at: when,
  due_at: when,
  last_commented_at: when,
  archived_at: when,
}

/** Long texts: the task and its result. */
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

const { source } = standardFields
/** With the source of its title: who reads a list for an agent has to know what to fence off. */
export const SummaryCard = z.object({ ...summaryFields, source }).meta({ id: 'SummaryCard' })
export const StandardCard = z.object({ ...summaryFields, ...standardFields }).meta({ id: 'StandardCard' })
/** BRD-08: 67 fields, always all of them. */
export const FullCard = z
  .object({ ...summaryFields, ...standardFields, ...longFields })
  .meta({ id: 'FullCard' })
/** A card in a list: the fields of `summary`, and more depending on `detail`. */
export const ListedCard = z
  .object({
    ...summaryFields,
    ...StandardCard.omit(masked(summaryFields)).partial().shape,
    ...z.object(longFields).partial().shape,
  })
  .meta({ id: 'ListedCard' })

function masked<T extends object>(fields: T) {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, true])) as { [K in keyof T]: true }
}

export type SummaryCard = z.infer<typeof SummaryCard>
export type StandardCard = z.infer<typeof StandardCard>
export type FullCard = z.infer<typeof FullCard>
