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
    cut: z.array(Cut).max(100),
  })
  .meta({ id: 'RunKnew' })
export type Knew = z.infer<typeof Knew>
