import { z } from 'zod'
import { route } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { inWebhook } from './webhooks.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

/** Why the last attempt did not count as delivered. */
export const deliveryErrors = [
  /** The address was not public when it was looked up for the attempt. */
  'address',
  'unresolved',
  'unreachable',
  'tls',
  'timeout',
  'protocol',
  /** An answer other than 2xx; `last_status` has it. */
  'answer',
  /** An answer 3xx: nobody follows it. */
  'redirect',
  /** An answer 410, which disables the webhook. */
  'gone',
  /** The secret cannot be read since the key of the installation was changed; rotate it. */
  'secret',
  /** Waited for four days for a receiver that was down or disabled. */
  'expired',
] as const

export const Delivery = z
  .object({
    /** Also the `webhook-id` of every attempt. */
    id: Uuid,
    event: z.string(),
    board_id: Uuid.nullable(),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    /** When it is tried again at the earliest; null when it is not. */
    next_attempt_at: Timestamp.nullable(),
    last_attempt_at: Timestamp.nullable(),
    last_status: z.int().nullable(),
    last_error: z.enum(deliveryErrors).nullable(),
    created_at: Timestamp,
    delivered_at: Timestamp.nullable(),
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
  summary: 'What was sent or waits to be sent, newest first; kept for 30 days unless set otherwise',
  description: 'Shows status, number of attempts, the last answer and when the next attempt is due.',
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
  summary: 'Sends an event of the type webhook.test; the list of deliveries tells what came of it',
  description: 'Use it to try out a receiver; the payload holds only the id of the webhook.',
  responses: { 201: Delivery },
  refusals: [refused.webhookNotFound, refused.webhookDisabled],
})

export const redeliver = route({
  ...inWebhook,
  id: 'webhooks.redeliver',
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  summary: 'Sends a delivery again, with the same id and content, whatever became of it before',
  description: '`webhook-id` stays the same, so a receiver that has seen it can ignore it.',
  params: z.object({ webhook_id: Uuid, delivery_id: Uuid }),
  resources: { webhook_id: 'webhook', delivery_id: 'webhook_delivery' },
  missing: refused.deliveryNotFound,
  responses: { 200: Delivery },
  refusals: [refused.webhookNotFound, refused.deliveryNotFound, refused.webhookDisabled],
})
