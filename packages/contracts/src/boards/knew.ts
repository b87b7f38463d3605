import { z } from 'zod'
import { Timestamp, Uuid } from '../wire.ts'

/**
 * What was cut: bytes of a text or items of a list, and how many there are in total. Without both, nothing is there: in the
 * smallest budgets, a card that has everything leaves no room for zeros.
 */
export const Cut = z
  .object({
    /** Such as `plan`, or `comments.2.body` for the body of the third comment in the response. */
    field: z.string().meta({ maxLength: 40 }),
    /** Of the text as UTF-8. */
    bytes: z.int().optional(),
    items: z.int().optional(),
    of: z.int(),
    /**
     * Where to find the rest, appended to the `path` of the response. Without it, the card has the full text; for
     * `lessons`, the project does.
     */
    path: z.string().meta({ maxLength: 60 }).optional(),
  })
  .meta({ id: 'ContextCut' })
export type Cut = z.infer<typeof Cut>

export const workWiths = ['lessons', 'memories'] as const
export type WorkWith = (typeof workWiths)[number]

/** Why something that was asked for is not there; with `embeddings_unavailable`, it was found by its words only. */
const missingReasons = [
  'scope_missing',
  'no_agent',
  'no_ready_index',
  'code_index_unavailable',
  'memory_unavailable',
  'embeddings_unavailable',
  'dry_run',
] as const
export type MissingReason = (typeof missingReasons)[number]
export const Missing = z
  .object({ lessons: z.enum(missingReasons).optional(), memories: z.enum(missingReasons).optional() })
  .meta({ id: 'WorkMissing' })
export type Missing = z.infer<typeof Missing>

const KnownCard = z.object({ id: Uuid, version: z.int() })

/** What the worker of a run was told at its start: ids and versions, so that it can be read again as it was. */
export const Knew = z
  .object({
    at: Timestamp,
    budget_bytes: z.int(),
    /** Of the card, with all its texts. */
    version: z.int(),
    /** Names of the parts that were told, whole or in part. */
    parts: z.array(z.string().meta({ maxLength: 40 })).max(30),
    blockers: z.array(KnownCard).max(50),
    parent: KnownCard.nullable(),
    /** Earlier ones, newest first. */
    runs: z.array(z.object({ id: Uuid, status: z.string().meta({ maxLength: 20 }) })).max(10),
    /** Newest first. `edited_at` says which words they were. */
    comments: z.array(z.object({ id: Uuid, edited_at: Timestamp.nullable() })).max(30),
    /**
     * Where they were asked for and the caller may read them. The version is the start of the SHA-256 of the text, as
     * 16 hexadecimal digits: lessons are kept in a repository.
     */
    lessons: z
      .array(
        z.object({ id: z.string().meta({ maxLength: 300 }), version: z.string().meta({ maxLength: 16 }) }),
      )
      .max(10)
      .optional(),
    /** The same for memories. */
    memories: z
      .array(z.object({ id: Uuid, version: z.int() }))
      .max(10)
      .optional(),
    /** What was asked for and could not be told. */
    missing: Missing.optional(),
    cut: z.array(Cut).max(100),
  })
  .meta({ id: 'RunKnew' })
export type Knew = z.infer<typeof Knew>
