import { z } from 'zod'
import { eventStream } from '../bytes.ts'
import { eventTypes } from '../events.ts'
import { refusal, tooManyStreams, tooManyWorkspaceStreams } from '../refusal.ts'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { separated } from './filters.ts'
import * as refused from './refusals.ts'

export const maxStreamBoards = 20

const BoardIds = separated(maxStreamBoards)
  .transform((ids) => [...new Set(ids.map((id) => id.trim().toLowerCase()))].toSorted())
  .pipe(z.array(Uuid).min(1, 'must name at least one board'))
  .meta({ override: { type: 'string' } })
const Types = separated(eventTypes.length)
  .transform((types) => types.map((type) => type.trim()))
  .pipe(z.array(z.enum(eventTypes, 'must be event types')).min(1, 'must name at least one type'))
  .meta({ override: { type: 'string' } })

/** Why a stream cannot resume at its cursor. */
export const resetReasons = ['unknown_cursor', 'expired_cursor'] as const
export type ResetReason = (typeof resetReasons)[number]

/** Without `types` such events are omitted; if named in `types` they are refused. */
export const typesForbidden = refusal(403, 'types: the token lacks the scope for these events')

export const streamEvents = route({
  ...boardFamily,
  id: 'boards.streamEvents',
  method: 'GET',
  path: '/api/v1/events/stream',
  summary: 'Stream events of the workspace or of some boards',
  description:
    'Server-sent events. With `board_ids`, the feeds of those boards. Without it, all events of the workspace: those of all boards, and those outside boards that the token may read (`member.added` and those of agents require `brand:read`). `types` filters by event type. Reconnect with `Last-Event-ID`, as browsers do automatically, and no event is lost or repeated. An idle stream sends a comment every 15 seconds.',
  example: { query: { board_ids: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f' } },
  query: z.object({
    board_ids: BoardIds.optional(),
    types: Types.optional(),
    /** Resumes after this cursor. The header Last-Event-ID takes precedence. */
    since: z.string().max(4000).optional(),
  }),
  resources: { 'query.board_ids': 'board' },
  responses: {
    200: eventStream(
      'Server-sent events. `ready` comes first; its id is the cursor that the stream starts from. Then one event ' +
        'per entry of the activity feeds, oldest first on each board: the event is the action, the data is the ' +
        'entry with its `board_id`, the id is the cursor after it. For one board the id is also a `next_cursor` of ' +
        'its feed. Events outside boards have `type`, `subject`, `actor` and `data`. `reset` means that the stream ' +
        'cannot resume at the cursor and continues from now: reload the data you need. An id without data only ' +
        'advances the cursor.',
    ),
  },
  foreign: refused.boardsOfOther,
  refusals: [
    typesForbidden,
    refused.boardNotFound,
    refused.boardsOfOther,
    tooManyStreams,
    tooManyWorkspaceStreams,
  ],
})
