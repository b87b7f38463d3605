import { z } from 'zod'
import { job } from '../job.ts'

/** After a rotation of the installation's key, moves the settings of sources to the new one. */
export const resealConfigs = job({
  name: 'conversations.reseal-configs',
  payload: z.object({}),
  cron: '57 * * * *',
})

/** CONV-11. Ends before the next one begins; what it leaves is found by that one. */
export const pickUpConversations = job({
  name: 'conversations.pick-up',
  payload: z.object({}),
  cron: '*/10 * * * *',
  limit_seconds: 590,
  batch_size: 1,
})
