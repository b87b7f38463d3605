import { dropAttachmentObject, sweepAttachments } from '@crewhall/contracts/boards/attachments.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { FileObjects } from '#platform/storage/uploaded-objects.ts'
import { attachmentRows } from './attachments.service.ts'

export const attachmentJobs = (objects: FileObjects) => [
  onJob(dropAttachmentObject, (ctx, { object_key }) => objects.drop(ctx, object_key)),
  onJob(sweepAttachments, (ctx) => objects.sweep(ctx, attachmentRows)),
]
