import { z } from 'zod'
import { eventTypes } from '../events.ts'
import { adminToken, route } from '../route.ts'
import { Timestamp, text, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

const families = [...new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf('.'))}.*`))]
const patterns: readonly string[] = ['*', ...families, ...eventTypes]

/** A type of event, all of one family, or all there are. */
const EventPattern = z
  .string()
  .refine((value) => patterns.includes(value), 'must be a type of event, a family such as task.*, or *')
  .meta({ enum: [...patterns] })

const settings = {
  url: text(1, 2000),
  events: z.array(EventPattern).min(1).max(50),
  /** Only events of these boards; null for all that happens in the workspace. */
  board_ids: z.array(Uuid).min(1).max(100).nullable(),
  description: text(0, 500),
  enabled: z.boolean(),
}

export const Webhook = z
  .object({
    id: Uuid,
    url: z.string(),
    events: z.array(z.string()),
    board_ids: z.array(Uuid).nullable(),
    description: z.string(),
    enabled: z.boolean(),
    /** `gone`: the receiver answered 410, which is how it says that it wants no more. */
    disabled_reason: z.enum(['gone']).nullable(),
    /** Since when nothing has got through; null while all is well. */
    failing_since: Timestamp.nullable(),
    /** Until then deliveries are signed with the secret before the last rotation as well. */
    old_secret_until: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

/** The secret is told here and never again. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' })

const admins = { auth: adminToken('brand:admin') } as const
export const inWebhook = {
  ...admins,
  params: z.object({ webhook_id: Uuid }),
  resources: { webhook_id: 'webhook' },
  missing: refused.webhookNotFound,
} as const

export const listWebhooks = route({
  ...admins,
  id: 'webhooks.listWebhooks',
  method: 'GET',
  path: '/api/v1/webhooks',
  summary: 'Webhooks of the workspace, oldest first',
  description: 'At most 20 per workspace. Secrets are never returned here.',
  responses: { 200: z.object({ items: z.array(Webhook).max(refused.maxWebhooks) }) },
})

export const createWebhook = route({
  ...admins,
  id: 'webhooks.createWebhook',
  method: 'POST',
  path: '/api/v1/webhooks',
  summary: 'Sends events to an address from now on; the answer tells the signing secret, once',
  description:
    'Store `secret` from the answer: it is returned only this once, and deliveries are signed with it as Standard Webhooks describes. `url` must be a public https address. Use `*`, a family such as `task.*`, or single actions in `events`.',
  example: { body: { url: 'https://hooks.example.com/crewhall', events: ['task.*'], description: 'Chat' } },
  tells_once: true,
  resources: { 'body.board_ids': 'board' },
  body: z.object({
    ...settings,
    board_ids: settings.board_ids.optional(),
    description: settings.description.optional(),
    enabled: settings.enabled.optional(),
  }),
  responses: { 201: WebhookWithSecret },
  refusals: [refused.addressRefused, refused.boardsUnknown, refused.tooManyWebhooks],
})

export const getWebhook = route({
  ...inWebhook,
  id: 'webhooks.getWebhook',
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'One webhook',
  description: '`failing_since` tells since when nothing has got through.',
  responses: { 200: Webhook },
  refusals: [refused.webhookNotFound],
})

export const changeWebhook = route({
  ...inWebhook,
  id: 'webhooks.changeWebhook',
  method: 'PATCH',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'Changes what is sent where; a disabled webhook keeps what waits and sends nothing',
  description:
    'Only the fields in the body change, and what waits is tried at once. Set `enabled` to true to bring back a webhook that was disabled by 410.',
  example: { body: { events: ['run.*'] } },
  body: z.object(settings).partial(),
  resources: { webhook_id: 'webhook', 'body.board_ids': 'board' },
  responses: { 200: Webhook },
  refusals: [refused.webhookNotFound, refused.addressRefused, refused.boardsUnknown],
})

export const deleteWebhook = route({
  ...inWebhook,
  id: 'webhooks.deleteWebhook',
  method: 'DELETE',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'Ends a webhook, with everything that waits to be sent',
  description: 'It cannot be undone, and its log of deliveries can no longer be read.',
  responses: { 200: z.object({ success: z.literal(true) }) },
  refusals: [refused.webhookNotFound],
})

export const rotateSecret = route({
  ...inWebhook,
  id: 'webhooks.rotateSecret',
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/rotate-secret',
  summary: 'Tells a new signing secret, once; for 24 hours deliveries are signed with the old one too',
  description: 'Store `secret` from the answer: it is returned only this once.',
  tells_once: true,
  responses: { 200: WebhookWithSecret },
  refusals: [refused.webhookNotFound],
})
