import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import { inBoard } from './boards.ts'
import { Actor } from './card-fields.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

/** Actions in the activity feed. New ones may be added; none is ever renamed. */
export const actions = [
  'board.created',
  'board.updated',
  'board.archived',
  'board.restored',
  'column.created',
  'column.updated',
  'column.deleted',
  'label.created',
  'label.updated',
  'label.merged',
  'label.deleted',
  // Time boxes: `cycle_id` and `name`, with the sums at the start and at the end.
  'cycle.created',
  'cycle.updated',
  'cycle.started',
  'cycle.closed',
  'cycle.deleted',
  'task.created',
  'task.updated',
  'task.moved',
  'task.archived',
  'task.restored',
  'task.commented',
  // A file of a card: `attachment_id`, `name`, `content_type` and `size`.
  'attachment.added',
  'attachment.removed',
  'task.related',
  'task.claimed',
  'task.released',
  'task.claim_expired',
  // A column got another status or was removed, or a label another name: `task_ids`, and `from` and `to` with column and
  // status, or with the label.
  'task.batch_changed',
  // Checks of the last commit, as repositories tell them: `from` and `to`.
  'task.checks_changed',
  // The last blocker of the card is gone, on whichever board it was.
  'task.unblocked',
  'run.started',
  // While it runs: `line` is the last line of its summary, `usage` the total so far. So does `run.finished`.
  'run.updated',
  'run.finished',
  // A step of an import or of its undo: `import_id`, `state`, `rows_done` of `rows_total`; of an undo `task_ids` that are gone.
  'import.updated',
  'guest.added',
  'guest.role_changed',
  'guest.removed',
] as const

/** Both values of a field, or, where they are long, their sizes. */
const ToldChange = z.union([
  z.object({ from: z.unknown(), to: z.unknown() }),
  z.object({ from_bytes: z.int(), to_bytes: z.int() }),
])
export type ToldChange = z.infer<typeof ToldChange>
export type ToldChanges = Readonly<Record<string, ToldChange>>

export const ActivityEntry = z
  .object({
    id: z.string(),
    action: z.string(),
    created_at: Timestamp,
    task_id: Uuid.nullable(),
    actor: Actor,
    /** Details of the action, such as the columns of a move. */
    data: z.record(z.string(), z.unknown()),
    /** Of the card, as it was then. Older entries have none of these three. */
    ref: z.string().optional(),
    title: z.string().optional(),
    /** Changed fields with both values; of long ones the sizes. At most 8 KiB. */
    changes: z.record(z.string(), ToldChange).optional(),
    /** Members and agents whom its text mentions for the first time, such as `member:12` and `agent:builder`. */
    mentions: z.array(z.string()).max(20).optional(),
  })
  .meta({ id: 'ActivityEntry' })
export type ActivityEntry = z.infer<typeof ActivityEntry>

const notACursor = 'must be a next_cursor of this board'
export const unknownActivityCursor = refusal(400, `since: ${notACursor}`)
const notAPlace = 'must be now or a cursor of this board'
export const unknownActivityPlace = refusal(400, `before: ${notAPlace}`)
export const beforeAndSince = refusal(400, 'before: must not be combined with since')
export const noSuchCardOfBoard = refusal(400, 'task_id: no such card of the board')

export const expiredActivityCursor = refusal(
  410,
  'Entries after this cursor have been deleted; start without a cursor',
)

export const listActivity = route({
  ...inBoard,
  id: 'boards.listActivity',
  method: 'GET',
  is_long: true,
  path: '/api/v1/board/activity/boards/{board_id}',
  summary: 'List the activity of a board, newest first',
  description:
    'Without `since`, returns the newest entries. With `since=<next_cursor>`, returns everything after that entry, in order and without gaps, so that you can continue where you stopped. Entries about a card carry its `ref` and `title`, and `changes` with the fields that changed: `from` and `to`, or `from_bytes` and `to_bytes` where a value is long. To read backwards, start with `before=now` and follow `older_cursor` until it is null. With `task_id`, only the entries of that card.',
  example: { query: { limit: '50' } },
  resources: { board_id: 'board', 'query.task_id': 'card' },
  query: z.object({
    limit: pageLimit(200),
    since: z.string(notACursor).max(300, notACursor).optional(),
    /** `now`, then each `older_cursor`: the entries before it, newest first. Any `next_cursor` of the board will do too. */
    before: z.string(notAPlace).max(300, notAPlace).optional(),
    /** A card of the board by id or ref. */
    task_id: TaskId.optional(),
  }),
  responses: {
    200: z.object({
      items: z.array(ActivityEntry),
      next_cursor: z.string().nullable(),
      /** Only with `before`: where the next page begins. Null when nothing older is kept. */
      older_cursor: z.string().nullable().optional(),
    }),
  },
  refusals: [
    refused.boardNotFound,
    unknownActivityCursor,
    expiredActivityCursor,
    unknownActivityPlace,
    beforeAndSince,
    noSuchCardOfBoard,
  ],
})
