import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { job } from '../job.ts'
import { refusal } from '../refusal.ts'
import { person, route } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import { editorRequired } from '../workspaces/guests.ts'
import { boardFamily } from './boards.ts'
import { Actor } from './card-fields.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const mostAttachments = 50
/** 25 mebibytes, inclusive. */
export const mostAttachmentBytes = 26_214_400

export const attachmentNotFound = refusal(404, 'Attachment not found')
export const attachmentLimit = refusal(409, `A card has at most ${mostAttachments} attachments`)
export const filesFull = refusal(409, 'The files of the workspace would exceed its limit; remove some first')
export const notTheUploader = refusal(403, 'Only who added an attachment, or an admin, may remove it')
export const attachmentTooLarge = refusal(400, 'File too large (max 25MB)')
export const attachmentMissing = refusal(400, 'file: is required')
/** Texts of outages: the same call may succeed later. */
export const fileStorageAway = refusal(502, 'File storage is unavailable')
export const fileStorageAbsent = refusal(503, 'File storage not configured')

/**
 * Told by the bytes, whatever the sender says. Pages, drawings and scripts are texts, and what nobody knows is bytes: a browser
 * runs none of these.
 */
export const attachmentTypes = [
  'text/plain',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'application/zip',
  'application/gzip',
  'video/mp4',
  'application/octet-stream',
] as const
export type AttachmentType = (typeof attachmentTypes)[number]

const fields = {
  id: Uuid,
  task_id: Uuid,
  /** The name of the file, without a path and without characters that hide what it is. */
  name: z.string().max(200),
  content_type: z.enum(attachmentTypes),
  /** In bytes. */
  size: z.int(),
  /** In hexadecimal digits. */
  sha256: z.string().length(64),
  created_by: Actor,
  created_at: Timestamp,
}
export const ListedAttachment = z.object(fields).meta({ id: 'ListedAttachment' })
export type ListedAttachment = z.infer<typeof ListedAttachment>
export const Attachment = z
  .object({
    ...fields,
    /** How a text begins, at most 2 KiB; null for all other files. It is plain text: never show it as markup. */
    preview: z.string().max(2048).nullable(),
  })
  .meta({ id: 'Attachment' })
export type Attachment = z.infer<typeof Attachment>

const upload = {
  field: 'file',
  max_bytes: mostAttachmentBytes,
  too_large: attachmentTooLarge,
  missing: attachmentMissing,
  spooled: true,
} as const
const ofCard = {
  ...boardFamily,
  path: '/api/v1/board/tasks/{task_id}/attachments',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const
const one = {
  ...boardFamily,
  params: z.object({ attachment_id: Uuid }),
  resources: { attachment_id: 'attachment' },
  missing: attachmentNotFound,
} as const
const adding = [
  refused.cardNotFound,
  refused.boardArchived,
  refused.cardArchived,
  attachmentMissing,
  attachmentTooLarge,
  attachmentLimit,
  filesFull,
  fileStorageAway,
  fileStorageAbsent,
] as const

export const listAttachments = route({
  ...ofCard,
  id: 'boards.listAttachments',
  method: 'GET',
  summary: 'List the attachments of a card',
  description: `At most ${mostAttachments}, oldest first. \`attachments_count\` of the card is their number.`,
  responses: { 200: z.object({ items: z.array(ListedAttachment).max(mostAttachments) }) },
  refusals: [refused.cardNotFound],
})

export const addAttachment = route({
  ...ofCard,
  id: 'boards.addAttachment',
  method: 'POST',
  summary: 'Attach a file to a card',
  description:
    'Send a file of at most 25 MB as multipart field `file`. Its `content_type` is told by its bytes; the one you send is ignored. The same Idempotency-Key with the same file attaches it once.',
  upload,
  responses: { 201: Attachment },
  refusals: adding,
})

export const getAttachment = route({
  ...one,
  id: 'boards.getAttachment',
  method: 'GET',
  path: '/api/v1/board/attachments/{attachment_id}',
  summary: 'Get an attachment, with a preview of a text',
  description: 'The file itself is at `/content`.',
  responses: { 200: Attachment },
  refusals: [attachmentNotFound],
})

export const downloadAttachment = route({
  ...one,
  id: 'boards.downloadAttachment',
  method: 'GET',
  path: '/api/v1/board/attachments/{attachment_id}/content',
  summary: 'Download an attachment',
  description:
    'The bytes as they were sent, always as a download that browsers neither show nor run. `ETag` is the SHA-256 of the file.',
  deadline_ms: 30_000,
  responses: { 200: bytes(...attachmentTypes) },
  refusals: [attachmentNotFound, fileStorageAway, fileStorageAbsent],
})

export const removeAttachment = route({
  ...one,
  id: 'boards.removeAttachment',
  method: 'DELETE',
  path: '/api/v1/board/attachments/{attachment_id}',
  summary: 'Remove an attachment',
  description: 'For whoever added it, and for admins. The file is deleted.',
  responses: { 200: z.object({ removed: z.literal(true) }) },
  refusals: [attachmentNotFound, refused.boardArchived, notTheUploader],
})

/** By name only, as on cards. */
export const SharedAttachment = ListedAttachment.extend({
  created_by: Actor.pick({ kind: true, name: true }).meta({ id: 'SharedUploader' }),
}).meta({ id: 'SharedAttachment' })
export type SharedAttachment = z.infer<typeof SharedAttachment>

const shared = {
  auth: person('session'),
  invalid: 400,
  dry_run: true,
  missing: refused.cardNotFound,
} as const
const ofSharedCard = {
  ...shared,
  path: '/api/v1/board/shared/{board_id}/tasks/{task_id}/attachments',
  params: z.object({ board_id: Uuid, task_id: TaskId }),
  resources: { board_id: 'shared_board', task_id: 'shared_card' },
} as const

export const listSharedAttachments = route({
  ...ofSharedCard,
  id: 'boards.listSharedAttachments',
  method: 'GET',
  summary: 'List the attachments of a card of a shared board',
  description: 'For guests. The same as for members; people are shown by name only.',
  responses: { 200: z.object({ items: z.array(SharedAttachment).max(mostAttachments) }) },
  refusals: [refused.cardNotFound],
})

export const addSharedAttachment = route({
  ...ofSharedCard,
  id: 'boards.addSharedAttachment',
  method: 'POST',
  summary: 'Attach a file to a card of a shared board',
  description:
    'For guests who are editors. Send a file of at most 25 MB as multipart field `file`. Members remove attachments.',
  upload,
  responses: { 201: SharedAttachment },
  refusals: [...adding, editorRequired],
})

export const downloadSharedAttachment = route({
  ...shared,
  id: 'boards.downloadSharedAttachment',
  method: 'GET',
  path: '/api/v1/board/shared/{board_id}/attachments/{attachment_id}/content',
  params: z.object({ board_id: Uuid, attachment_id: Uuid }),
  resources: { board_id: 'shared_board', attachment_id: 'shared_attachment' },
  missing: attachmentNotFound,
  summary: 'Download an attachment of a shared board',
  description: 'For guests. As for members, always as a download.',
  deadline_ms: 30_000,
  responses: { 200: bytes(...attachmentTypes) },
  refusals: [attachmentNotFound, fileStorageAway, fileStorageAbsent],
})

/** Enqueued with the removal of the row, so that none is forgotten. */
export const dropAttachmentObject = job({
  name: 'boards.drop-attachment-object',
  payload: z.object({ object_key: z.string().max(200) }),
  retry_seconds: [10, 60, 600, 7200, 28_800],
  batch_size: 8,
})

/** Deletes objects that no attachment names. */
export const sweepAttachments = job({
  name: 'boards.sweep-attachments',
  payload: z.object({}),
  cron: '23 * * * *',
  batch_size: 1,
})
