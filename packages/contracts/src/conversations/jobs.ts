import { z } from 'zod'
import { job } from '../job.ts'

/** After a rotation of the installation's key, moves the settings of sources to the new one. */
export const resealConfigs = job({
  name: 'conversations.reseal-configs',
  payload: z.object({}),
  cron: '57 * * * *',
})
