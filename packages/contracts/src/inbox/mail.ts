import { z } from 'zod'
import { job } from '../job.ts'
import { refusal } from '../refusal.ts'
import { route, session, token } from '../route.ts'
import { Timestamp } from '../wire.ts'

export const inboxMailModes = ['off', 'at_once', 'daily'] as const
export type InboxMailMode = (typeof inboxMailModes)[number]

/** In UTC; used until a person chooses another. */
export const usualMailHour = 7
/** So many entries are named in a mail; the others are counted. */
export const mostMailed = 20

/** One for every reason: a link says nothing about people to whoever made it up. */
export const badUnsubscribeLink = refusal(400, 'This link is not valid')

const InboxMail = z
  .object({
    mode: z.enum(inboxMailModes),
    /** Of the day, in UTC. Used by `daily`. */
    hour: z.int().min(0).max(23),
    /** The last mail; null before the first. */
    sent_at: Timestamp.nullable(),
  })
  .meta({ id: 'InboxMail' })
export type InboxMail = z.infer<typeof InboxMail>

export const getInboxMail = route({
  id: 'inbox.getInboxMail',
  method: 'GET',
  path: '/api/v1/me/inbox/mail',
  summary: 'Show whether you get your inbox of this workspace by mail',
  description: '`off` until you ask for it.',
  auth: token(),
  responses: { 200: InboxMail },
})

export const changeInboxMail = route({
  id: 'inbox.changeInboxMail',
  method: 'PUT',
  path: '/api/v1/me/inbox/mail',
  summary: 'Choose whether you get your inbox of this workspace by mail',
  description:
    'Mails name what is unread and new since the last one: `at_once` within minutes, but at most one in 15 minutes (`INBOX_MAIL_MINUTES`), and `daily` at an hour of the day in UTC. They name cards by their title, hold no further text, and go to your confirmed address only; nothing is sent while there is nothing new. Each mail has a link that ends them without signing in. Only people choose, in a session: tokens are refused.',
  example: { body: { mode: 'daily', hour: 7 } },
  auth: session(),
  body: z.object({
    mode: z.enum(inboxMailModes),
    hour: z.int().min(0).max(23).default(usualMailHour),
  }),
  dry_run: true,
  responses: { 200: InboxMail },
})

/** Sends what is due. Busy or away, it is tried again by the next one, so it needs no attempts of its own. */
export const sendInboxMail = job({
  name: 'inbox.send-mail',
  sends_mail: true,
  payload: z.object({}),
  cron: '* * * * *',
  batch_size: 1,
  limit_seconds: 300,
})
