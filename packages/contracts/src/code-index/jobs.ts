import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'

/** After a rotation of the installation's key: moves credentials to the current one. */
export const resealCredentials = job({
  name: 'code-index.reseal-credentials',
  payload: z.object({}),
  cron: '51 * * * *',
})

/** Indexes the repository of a project. All state is in rows, so a run that was cut off is continued by the next. */
export const runIndex = job({
  name: 'code-index.run',
  payload: z.object({ brand_id: z.int(), project_id: Uuid }),
  retry_seconds: [30, 300],
  limit_seconds: 3600,
  batch_size: 1,
})

/** Asks remotes whether there is something new, each as often as the operator has set. */
export const checkRemotes = job({
  name: 'code-index.check-remotes',
  payload: z.object({}),
  cron: '*/5 * * * *',
  limit_seconds: 280,
  batch_size: 1,
})
