import { z } from 'zod'
import { route } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { inWebhook } from './webhooks.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

/** Why the last attempt did not count as delivered. */
export const deliveryErrors = [
  /** The address did not resolve to a public one. */
  'address',
  'unresolved',
  'unreachable',
  'tls',
  'timeout',
  'protocol',
  /** A status other than 2xx, in `last_status`. */
  'answer',
  /** A redirect: they are not followed. */
  'redirect',
  /** A 410, which disables the webhook. */
  'gone',
  /** The secret cannot be decrypted since the key of the installation changed; rotate it. */
  'secret',
  /** The receiver was down or disabled for four days. */
  'expired',
  /** The installation was restored from a backup: it may have been sent before that, so it is not sent by itself. */
  'restored',
] as const

const DeliveryTry = z
  .object({
    at: Timestamp,
    /** Of the response; null if there was none. */
    status: z.int().nullable(),
    /** Null if it counted as delivered. */
    error: z.enum(deliveryErrors).nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'WebhookDeliveryTry' })

/** How many attempts of a delivery are kept. */
export const maxTries = 10

export const Delivery = z
  .object({
    /** Also the `webhook-id` of every attempt. */
    id: Uuid,
    event: z.string(),
    board_id: Uuid.nullable(),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    /** Earliest time of the next attempt; null if there is none. */
    next_attempt_at: Timestamp.nullable(),
    last_attempt_at: Timestamp.nullable(),
    last_status: z.int().nullable(),
    last_error: z.enum(deliveryErrors).nullable(),
    created_at: Timestamp,
    delivered_at: Timestamp.nullable(),
    /** The last ten attempts, oldest first. */
    tries: z.array(DeliveryTry).max(maxTries),
  })
  .meta({ id: 'WebhookDelivery' })
export type Delivery = z.infer<typeof Delivery>

const notACursor = 'must be a next_cursor of this list'
const maxPage = 100

export const listDeliveries = route({
  ...inWebhook,
  id: 'webhooks.listDeliveries',
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}/deliveries',
  summary: 'List the deliveries of a webhook, newest first',
  description:
    'Shows the status, the number of attempts, the last ten of them with status and duration, and the time of the next attempt. Kept for 30 days unless configured otherwise.',
  example: { query: { status: 'pending', limit: '50' } },
  query: z.object({
    status: z.enum(deliveryStatuses).optional(),
    limit: pageLimit(maxPage),
    cursor: z.string(notACursor).max(300, notACursor).optional(),
  }),
  responses: { 200: z.object({ items: z.array(Delivery).max(maxPage), next_cursor: z.string().nullable() }) },
  refusals: [refused.webhookNotFound, refused.unknownDeliveryCursor],
})

export const testWebhook = route({
  ...inWebhook,
  id: 'webhooks.testWebhook',
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/test',
  summary: 'Send a test event',
  description: 'Sends `webhook.test` with the id of the webhook. The deliveries show the result.',
  responses: { 201: Delivery },
  refusals: [refused.webhookNotFound, refused.webhookDisabled],
})

export const redeliver = route({
  ...inWebhook,
  id: 'webhooks.redeliver',
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  summary: 'Send a delivery again',
  description:
    'Works whatever its status. Id and content stay the same, so a receiver that has seen `webhook-id` can ignore it.',
  params: z.object({ webhook_id: Uuid, delivery_id: Uuid }),
  resources: { webhook_id: 'webhook', delivery_id: 'webhook_delivery' },
  missing: refused.deliveryNotFound,
  responses: { 200: Delivery },
  refusals: [refused.webhookNotFound, refused.deliveryNotFound, refused.webhookDisabled],
})
