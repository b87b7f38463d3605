import { z } from 'zod'
import { job } from '../job.ts'

/** Asks the servers of installed packages whether they still offer the tools that were pinned. */
export const checkInstalls = job({
  name: 'marketplace.check-installs',
  payload: z.object({}),
  cron: '* * * * *',
})

/** After a rotation of the installation's key, moves the credentials of packages to the new one. */
export const resealPackageCredentials = job({
  name: 'marketplace.reseal-credentials',
  payload: z.object({}),
  cron: '49 * * * *',
})
