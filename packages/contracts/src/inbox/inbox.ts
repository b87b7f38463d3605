import { z } from 'zod'
import { Actor } from '../boards/card-fields.ts'
import { separated } from '../boards/filters.ts'
import { refusal } from '../refusal.ts'
import { route, token } from '../route.ts'
import { Moment, pageLimit, Timestamp, Uuid } from '../wire.ts'

/** What an entry wants of its reader. */
export const inboxKinds = ['asks_you', 'review_wanted', 'broke', 'mentioned', 'assigned'] as const
export type InboxKind = (typeof inboxKinds)[number]
export const inboxStates = ['unread', 'read', 'done', 'snoozed'] as const
export type InboxState = (typeof inboxStates)[number]
export const inboxSubjects = ['task', 'memory', 'source', 'desk', 'project', 'install'] as const
export type InboxSubject = (typeof inboxSubjects)[number]

/** More are not counted. */
export const mostCounted = 1000
const mostMarked = 100

export const entryNotFound = refusal(404, 'Inbox entry not found')
export const badSnooze = refusal(422, 'until: must be in the future, and within a year')
const notACursor = 'must be a next_cursor of this list'
export const unknownInboxCursor = refusal(422, `cursor: ${notACursor}`)

export const InboxEntry = z
  .object({
    id: Uuid,
    kind: z.enum(inboxKinds),
    state: z.enum(inboxStates),
    /** Set while it is snoozed. */
    snoozed_until: Timestamp.nullable(),
    /** What it is about: a card, the memory of an agent, a source of conversations, a desk or a project. */
    subject: z.object({ kind: z.enum(inboxSubjects), id: z.string() }),
    board_id: Uuid.nullable(),
    ref: z.string().nullable(),
    /** Of the card when it was told, or the type of the event. */
    title: z.string(),
    /** Such as the question, or the last line of a run. */
    reason: z.string().nullable(),
    /** Who caused it last; null for the platform. */
    actor: Actor.nullable(),
    /** How often it was caused. */
    causes: z.int(),
    created_at: Timestamp,
    /** When it was caused last. */
    told_at: Timestamp,
  })
  .meta({ id: 'InboxEntry' })
export type InboxEntry = z.infer<typeof InboxEntry>

const someOf = <const Value extends string>(values: readonly [Value, ...Value[]]) =>
  separated(values.length)
    .transform((parts) => parts.map((part) => part.trim()))
    .pipe(z.array(z.enum(values)))
    .meta({ override: { type: 'string' } })

export const listInbox = route({
  id: 'inbox.listInbox',
  method: 'GET',
  path: '/api/v1/me/inbox',
  summary: 'List what waits for you in this workspace, newest first',
  description:
    'One entry for each subject and kind: `asks_you` (a card is blocked, a memory needs a decision, the tools of a package have changed), `review_wanted`, `broke` (a run failed or was lost, a conversation could not be read, a desk was lost or its update failed), `mentioned`, `assigned`. A further cause makes the entry unread again and counts in `causes`. Without `state`, open entries (`unread` and `read`) are listed. `unread` is counted up to 1,000. Entries that are done are deleted after 90 days, others a year after their last cause.',
  example: { query: { kind: 'asks_you,review_wanted', limit: '20' } },
  auth: token(),
  query: z.strictObject({
    kind: someOf(inboxKinds).optional(),
    state: someOf(inboxStates).optional(),
    limit: pageLimit(100),
    cursor: z.string(notACursor).max(300, notACursor).optional(),
  }),
  responses: {
    200: z.object({
      items: z.array(InboxEntry).max(100),
      next_cursor: z.string().nullable(),
      unread: z.int(),
    }),
  },
  refusals: [unknownInboxCursor],
})

export const markInbox = route({
  id: 'inbox.markInbox',
  method: 'POST',
  path: '/api/v1/me/inbox:mark',
  summary: 'Mark entries of your inbox as read, unread, done or snoozed',
  description:
    'Up to 100 at once. With the `causes` that you have seen, an entry that was caused again since stays as it is. `snoozed` needs `until`: then the entry is unread again, or earlier if it is caused again. The response holds the entries as they are now.',
  example: { body: { entries: [{ id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f', causes: 1 }], state: 'done' } },
  auth: token(),
  body: z
    .object({
      entries: z
        .array(z.object({ id: Uuid, causes: z.int().min(1).max(2_147_483_647).optional() }))
        .min(1)
        .max(mostMarked),
      state: z.enum(inboxStates),
      until: Moment.optional(),
    })
    .refine(({ state, until }) => (state === 'snoozed') === (until !== undefined), {
      path: ['until'],
      message: 'must be there if and only if the state is snoozed',
    }),
  resources: { 'body.entries.id': 'inbox_entry' },
  dry_run: true,
  responses: { 200: z.object({ marked: z.int(), items: z.array(InboxEntry).max(mostMarked) }) },
  refusals: [entryNotFound, badSnooze],
})
