import { z } from 'zod'
import { dropAttachmentObject, sweepAttachments } from './boards/attachments.ts'
import { carryCycle } from './boards/cycles.ts'
import { followDelivery, resealHooks } from './boards/hook-jobs.ts'
import { carryColumn, carryLabel, endLeases, rollActivity, runImport, sweepImports } from './boards/jobs.ts'
import { checkRemotes, resealCredentials, runIndex } from './code-index/jobs.ts'
import { pickUpConversations, resealConfigs } from './conversations/jobs.ts'
import { dropDeskPhotoObject, sweepDeskPhotos } from './fleet/desk-photos.ts'
import { noteMachine } from './fleet/updates.ts'
import { buildHire, endHire, findLostBuilds, forgetDesk, removeEnded, sweepPeriods } from './hires/jobs.ts'
import { sendDeviceLetter } from './identity/device.ts'
import { sendEmailProof } from './identity/email-proofs.ts'
import { erase, startErasures } from './identity/erasures.ts'
import { sendPasswordLetter } from './identity/own-password.ts'
import { sendSignInLetter } from './identity/own-sessions.ts'
import { sweepPlatformEntries } from './identity/platform-audit.ts'
import { sendInboxMail } from './inbox/mail.ts'
import { type JobSpec, job } from './job.ts'
import { sweepNames } from './mailboxes/jobs.ts'
import { checkInstalls, resealPackageCredentials } from './marketplace/jobs.ts'
import { exportWorkspace, startExports } from './memory/memory-file.ts'
import { resealSecrets, sweepDeliveries, wakeLate } from './webhooks/jobs.ts'
import { sendGuestLetter } from './workspaces/guests.ts'
import { sendInvitation } from './workspaces/invitations.ts'
import { sendPasswordNotice } from './workspaces/members.ts'
import { dropPhotoObject, sweepPhotos } from './workspaces/photos.ts'

/** Deletes expired rows of tables that are not partitioned by time. */
export const sweep = job({
  name: 'platform.sweep',
  payload: z.object({}),
  cron: '41 * * * *',
})

/** Creates upcoming partitions of the audit log and drops expired ones. */
export const rollAudit = job({
  name: 'platform.roll-audit',
  payload: z.object({}),
  cron: '13 2 * * *',
})

/** The same for the events of workspaces. */
export const rollEvents = job({
  name: 'platform.roll-events',
  payload: z.object({}),
  cron: '17 2 * * *',
})

/** Every background job of the product. */
export const allJobs: readonly JobSpec[] = [
  sweep,
  rollAudit,
  rollEvents,
  sweepPlatformEntries,
  startErasures,
  erase,
  rollActivity,
  sweepNames,
  endLeases,
  carryColumn,
  carryLabel,
  carryCycle,
  runImport,
  sweepImports,
  followDelivery,
  resealHooks,
  dropPhotoObject,
  sweepPhotos,
  dropAttachmentObject,
  sweepAttachments,
  dropDeskPhotoObject,
  noteMachine,
  forgetDesk,
  sweepDeskPhotos,
  sendDeviceLetter,
  sendEmailProof,
  sendSignInLetter,
  sendPasswordLetter,
  sendInvitation,
  sendPasswordNotice,
  sendGuestLetter,
  sendInboxMail,
  wakeLate,
  sweepDeliveries,
  resealSecrets,
  resealConfigs,
  resealCredentials,
  resealPackageCredentials,
  checkInstalls,
  buildHire,
  findLostBuilds,
  endHire,
  sweepPeriods,
  removeEnded,
  runIndex,
  checkRemotes,
  startExports,
  exportWorkspace,
  pickUpConversations,
]
