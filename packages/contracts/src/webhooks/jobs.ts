import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'

/** Only a wake-up: what is to be sent, and when, stands in the rows of the deliveries. */
export const wakeWebhook = job({
  name: 'webhooks.wake',
  payload: z.object({ brand_id: z.int(), webhook_id: Uuid }),
  // One for every event; a second's wait costs less than a notification in every commit.
  notify: false,
})

/** Finds what a lost wake-up or a killed worker has left lying. */
export const wakeLate = job({
  name: 'webhooks.wake-late',
  payload: z.object({}),
  cron: '* * * * *',
})

export const sweepDeliveries = job({
  name: 'webhooks.sweep-deliveries',
  payload: z.object({}),
  cron: '23 * * * *',
})

/** After a rotation of the installation's key, moves the secrets of webhooks to the new one. */
export const resealSecrets = job({
  name: 'webhooks.reseal-secrets',
  payload: z.object({}),
  cron: '53 * * * *',
})
