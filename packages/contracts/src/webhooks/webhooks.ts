import { z } from 'zod'
import { eventTypes } from '../events.ts'
import { adminToken, route } from '../route.ts'
import { Timestamp, text, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

const families = [...new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf('.'))}.*`))]
const patterns: readonly string[] = ['*', ...families, ...eventTypes]

/** An event type, a family, or all events. */
const EventPattern = z
  .string()
  .refine((value) => patterns.includes(value), 'must be an event type, a family such as task.*, or *')
  .meta({ enum: [...patterns] })

const settings = {
  url: text(1, 2000),
  events: z.array(EventPattern).min(1).max(50),
  /** Only events of these boards; null for all events of the workspace. */
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
    /** `gone`: the receiver returned 410, its way to unsubscribe. */
    disabled_reason: z.enum(['gone']).nullable(),
    /** Time since which no delivery has succeeded; null while all is well. */
    failing_since: Timestamp.nullable(),
    /** Until then, deliveries are also signed with the previous secret. */
    old_secret_until: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

/** The only response that contains the secret. */
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
  summary: 'List the webhooks of the workspace, oldest first',
  description: 'At most 20 per workspace. Secrets are not included.',
  responses: { 200: z.object({ items: z.array(Webhook).max(refused.maxWebhooks) }) },
})

export const createWebhook = route({
  ...admins,
  id: 'webhooks.createWebhook',
  method: 'POST',
  path: '/api/v1/webhooks',
  summary: 'Create a webhook',
  description:
    'Store `secret` from the response: it is returned only once. Deliveries are signed with it as defined by Standard Webhooks. `url` must be a public https address. `events` takes `*`, families such as `task.*`, and single events.',
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
  summary: 'Get a webhook',
  description: '`failing_since` is the time since which no delivery has succeeded.',
  responses: { 200: Webhook },
  refusals: [refused.webhookNotFound],
})

export const changeWebhook = route({
  ...inWebhook,
  id: 'webhooks.changeWebhook',
  method: 'PATCH',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'Change a webhook',
  description:
    'Only the fields in the body change, and pending deliveries are tried immediately. A disabled webhook keeps its pending deliveries. Set `enabled` to true to re-enable a webhook that was disabled by a 410 response.',
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
  summary: 'Delete a webhook and its pending deliveries',
  description: 'This cannot be undone. Its deliveries can no longer be read.',
  responses: { 200: z.object({ success: z.literal(true) }) },
  refusals: [refused.webhookNotFound],
})

export const rotateSecret = route({
  ...inWebhook,
  id: 'webhooks.rotateSecret',
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/rotate-secret',
  summary: 'Rotate the signing secret of a webhook',
  description:
    'Store `secret` from the response: it is returned only once. For 24 hours, deliveries are signed with the old secret as well.',
  tells_once: true,
  responses: { 200: WebhookWithSecret },
  refusals: [refused.webhookNotFound],
})
