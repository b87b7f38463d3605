import { z } from 'zod'
import { nothing } from '../bytes.ts'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, agentRetired, scopeMissing } from '../identity/refusals.ts'
import { memoryRead, memoryWrite } from '../memory/fields.ts'
import { route } from '../route.ts'
import { pageLimit, Timestamp, text, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

/** CONV-03, CONV-G1. */
export const sourceTypes = ['openclaw', 'agentboard', 'claude_code'] as const
export type SourceType = (typeof sourceTypes)[number]

export const maxConfigBytes = 8192
const maxDepth = 5
const maxKeys = 100
/** What stands in responses for a value that looks like a secret. Sent back, it means the stored value. */
export const mask = '********'

/** CONV-04: any settings, within bounds. */
export const SourceConfig = z
  .record(z.string().max(100), z.unknown())
  .refine(isBounded, {
    message: `must have at most ${maxKeys} keys and items, at most ${maxDepth} deep`,
    abort: true,
  })
  .refine(
    (config) => new TextEncoder().encode(JSON.stringify(config)).length <= maxConfigBytes,
    `must be at most ${maxConfigBytes} bytes as JSON`,
  )
export type SourceConfig = z.infer<typeof SourceConfig>

/** `config.board_ids` of a source of the type `agentboard`: the boards it reads. Without it, all of them. */
export const SourceBoardIds = z.array(Uuid).min(1).max(90).optional()

function isBounded(config: Readonly<Record<string, unknown>>): boolean {
  let level: unknown[] = [config]
  let items = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    level = level
      .filter((each) => typeof each === 'object' && each !== null)
      .flatMap((each) => Object.values(each as object))
    items += level.length
    if (items > maxKeys || (depth >= maxDepth && level.some((each) => typeof each === 'object' && each)))
      return false
  }
  return true
}

/** How the reading of a source goes that fetches its conversations by itself. */
export const SourceReading = z
  .object({
    last_read_at: Timestamp.nullable(),
    /** Read by the first pick-up at or after it. Null while the source is paused. */
    next_read_at: Timestamp.nullable(),
    /** Failed attempts in a row. */
    failures: z.int().min(0),
    /** Why the last attempt has failed. */
    reason: z.string().meta({ maxLength: 100 }).nullable(),
    /** What the last complete pass has left out, by reason. */
    skipped: z.record(z.string(), z.int()),
  })
  .meta({ id: 'ConversationSourceReading' })

/** CONV-G4. */
export const Source = z
  .object({
    id: Uuid,
    agent_id: z.string(),
    source_type: z.enum(sourceTypes),
    /** As it was sent, with a mask in place of values that look like secrets. */
    config: z.record(z.string(), z.unknown()),
    /** CONV-G7: nothing is read from a source that is not enabled. */
    enabled: z.boolean(),
    paused_reason: z.string().meta({ maxLength: 500 }).nullable(),
    /** Null where conversations are sent to it. */
    reading: SourceReading.nullable(),
    /** The person who added it. */
    created_by: z.int().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'ConversationSource' })
export type Source = z.infer<typeof Source>

export const NewSource = z.object({
  agent_id: AgentId,
  source_type: z.enum(sourceTypes),
  config: SourceConfig.default({}),
  enabled: z.boolean().default(true),
})
export type NewSource = z.infer<typeof NewSource>

export const SourceChange = z.object({ config: SourceConfig.optional(), enabled: z.boolean().optional() })
export type SourceChange = z.infer<typeof SourceChange>

export const oneSource = {
  path: '/api/v1/memory/sources/{source_id}',
  params: z.object({ source_id: Uuid }),
  resources: { source_id: 'conversation_source' },
  missing: refused.sourceIdMalformed,
} as const

export const createSource = route({
  ...memoryWrite,
  id: 'conversations.createSource',
  method: 'POST',
  path: '/api/v1/memory/sources',
  summary: 'Add a source of conversations for an agent',
  description:
    'Conversations of a source become memories of its agent. `openclaw` and `claude_code` are chat sessions and coding sessions, which you send to the source, or which it reads from `config.directory` by itself where the installation has a place for such directories; `agentboard` reads completed tasks of the workspace by itself, those of all boards or of the ones in `config.board_ids`; words of guests are left out. `config` holds settings of your own and is stored encrypted; values that look like secrets come back masked. Two equal sources are two sources. The plan limits how many a workspace has.',
  example: {
    body: { agent_id: 'build-bot', source_type: 'claude_code', config: { label: 'CI sessions' } },
  },
  body: NewSource,
  resources: { 'body.agent_id': 'agent' },
  responses: { 201: Source },
  refusals: [
    scopeMissing,
    agentNotOwned,
    agentRetired,
    refused.sourceQuotaExceeded,
    refused.directoriesOff,
    refused.directoryMalformed,
    refused.boardIdsMalformed,
    refused.boardsUnknown,
    refused.maskedValueUnknown,
  ],
})

export const listSources = route({
  ...memoryRead,
  id: 'conversations.listSources',
  method: 'GET',
  path: '/api/v1/memory/sources',
  summary: 'List sources of conversations, newest first',
  description: 'Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { limit: '50' } },
  query: z.object({
    agent_id: AgentId.optional(),
    limit: pageLimit(),
    cursor: z.string().max(500).optional(),
  }),
  resources: { 'query.agent_id': 'agent' },
  responses: { 200: z.object({ sources: z.array(Source), next_cursor: z.string().nullable() }) },
  refusals: [scopeMissing, agentNotOwned, refused.unknownCursor],
})

export const getSource = route({
  ...memoryRead,
  ...oneSource,
  id: 'conversations.getSource',
  method: 'GET',
  summary: 'Get a source',
  description:
    'Settings that look like secrets are masked. A paused source says why. `reading` shows how a source gets on that fetches its conversations by itself: when it was read and is read next, why the last attempt has failed, and what the last complete pass has left out.',
  responses: { 200: Source },
  refusals: [scopeMissing, refused.sourceNotFound],
})

export const changeSource = route({
  ...memoryWrite,
  ...oneSource,
  id: 'conversations.changeSource',
  method: 'PATCH',
  summary: 'Change a source',
  description:
    'Changes only the fields sent; `config` replaces the whole object, and a masked value in it keeps what is stored there. `enabled: false` stops reading; what has arrived waits.',
  example: { body: { enabled: true } },
  body: SourceChange,
  responses: { 200: Source },
  refusals: [
    scopeMissing,
    refused.sourceNotFound,
    agentRetired,
    refused.directoriesOff,
    refused.directoryMalformed,
    refused.boardIdsMalformed,
    refused.boardsUnknown,
    refused.maskedValueUnknown,
  ],
})

export const pauseSource = route({
  ...memoryWrite,
  ...oneSource,
  id: 'conversations.pauseSource',
  method: 'POST',
  path: '/api/v1/memory/sources/{source_id}/pause',
  summary: 'Pause a source',
  description: 'As `enabled: false`, with a reason that others can read.',
  example: { body: { reason: 'Too many test sessions' } },
  body: z.object({ reason: text(1, 500).optional() }).default({}),
  responses: { 200: Source },
  refusals: [scopeMissing, refused.sourceNotFound],
})

export const resumeSource = route({
  ...memoryWrite,
  ...oneSource,
  id: 'conversations.resumeSource',
  method: 'POST',
  path: '/api/v1/memory/sources/{source_id}/resume',
  summary: 'Resume a source',
  description: 'What has arrived meanwhile is read from the next pick-up on.',
  responses: { 200: Source },
  refusals: [scopeMissing, refused.sourceNotFound, agentRetired],
})

export const deleteSource = route({
  ...memoryWrite,
  ...oneSource,
  id: 'conversations.deleteSource',
  method: 'DELETE',
  summary: 'Delete a source with its conversations',
  description: 'Memories that came from it stay.',
  responses: { 204: nothing },
  refusals: [scopeMissing, refused.sourceNotFound],
})
