import { z } from 'zod'
import { job } from '../job.ts'

/** Finds deliveries that were queued without a wake-up, as older versions do. */
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
