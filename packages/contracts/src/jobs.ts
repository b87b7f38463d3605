import { z } from 'zod'
import { carryColumn, endLeases } from './boards/jobs.ts'
import { sweepPlatformEntries } from './identity/platform-audit.ts'
import { type JobSpec, job } from './job.ts'
import { sweepNames } from './mailboxes/jobs.ts'
import { resealSecrets, sweepDeliveries, wakeLate } from './webhooks/jobs.ts'
import { sendInvitation } from './workspaces/invitations.ts'
import { sendPasswordNotice } from './workspaces/members.ts'
import { dropPhotoObject, sweepPhotos } from './workspaces/photos.ts'

export const sweepLedger = job({
  name: 'jobs.sweep-ledger',
  payload: z.object({}),
  cron: '17 3 * * *',
})

/** Answers to an Idempotency-Key are kept for a day. */
export const sweepAnswers = job({
  name: 'platform.sweep-answers',
  payload: z.object({}),
  cron: '41 * * * *',
})

/** Makes the coming partitions of the audit, and drops those past their time. */
export const rollAudit = job({
  name: 'platform.roll-audit',
  payload: z.object({}),
  cron: '13 2 * * *',
})

/** Every background job of the product. */
export const allJobs: readonly JobSpec[] = [
  sweepLedger,
  sweepAnswers,
  rollAudit,
  sweepPlatformEntries,
  sweepNames,
  endLeases,
  carryColumn,
  dropPhotoObject,
  sweepPhotos,
  sendInvitation,
  sendPasswordNotice,
  wakeLate,
  sweepDeliveries,
  resealSecrets,
]
