import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { memoryWrite } from '../memory/fields.ts'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { oneConversation } from './conversations.ts'
import * as refused from './refusals.ts'
import { oneSource } from './sources.ts'

/** Why a memory was left as it is. */
export const leftReasons = [
  /** A person has created it by approving a proposal. */
  'approved',
  /** Somebody has changed, locked or chosen it. */
  'changed_since',
  'deleted_since',
  'merged_since',
  /** Another conversation says the same. */
  'said_by_others',
] as const
export const shownLeft = 200

/** One call of a rollback. */
export const Rollback = z
  .object({
    /** Memories that it had created. */
    deleted: z.int(),
    /** Memories that it had changed or superseded, as they were before. */
    restored: z.int(),
    /** Open proposals that were rejected. */
    withdrawn: z.int(),
    left_count: z.int(),
    /** The first of those that stay as they are, each with the reason. */
    left: z.array(z.object({ memory_id: Uuid, reason: z.enum(leftReasons) })).max(shownLeft),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'Rollback' })
export type Rollback = z.infer<typeof Rollback>

const Going = z.object({ cursor: z.string().max(500).optional() }).default({})

const undone =
  'Deletes the memories that it created and restores those that it changed, unless a person has changed, locked or approved them since, or another conversation says the same: these stay, and `left` names them. Open proposals from it are rejected. What was deleted does not come back from the same words. One call looks at up to 100 memories: pass `next_cursor` as `cursor` until it is null. With `dry_run=true`, nothing changes. Only people can roll back.'

export const rollBackSource = route({
  ...memoryWrite,
  ...oneSource,
  id: 'conversations.rollBackSource',
  method: 'POST',
  path: '/api/v1/memory/sources/{source_id}/rollback',
  dry_run: true,
  summary: 'Roll back what a source has written',
  description: `${undone} Its conversations that have written something are not read any further; those that were not read yet are still read, so pause the source first to stop it.`,
  example: { body: {} },
  body: Going,
  responses: { 200: Rollback },
  refusals: [scopeMissing, refused.onlyPeopleRollBack, refused.sourceNotFound, refused.unknownRollback],
})

export const rollBackConversation = route({
  ...memoryWrite,
  ...oneConversation,
  id: 'conversations.rollBackConversation',
  method: 'POST',
  path: '/api/v1/memory/conversations/{conversation_id}/rollback',
  dry_run: true,
  summary: 'Roll back what a conversation has written',
  description: `${undone} What the conversation contains now is not read any further; messages that are sent later are.`,
  example: { body: {} },
  body: Going,
  responses: { 200: Rollback },
  refusals: [scopeMissing, refused.onlyPeopleRollBack, refused.conversationNotFound, refused.unknownRollback],
})
