import { z } from 'zod'
import { job } from '../job.ts'

/** After a rotation of the installation's key: moves credentials to the current one. */
export const resealCredentials = job({
  name: 'code-index.reseal-credentials',
  payload: z.object({}),
  cron: '51 * * * *',
})
