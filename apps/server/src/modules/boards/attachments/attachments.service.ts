import {
  type Attachment,
  attachmentLimit,
  attachmentNotFound,
  dropAttachmentObject,
  filesFull,
  type ListedAttachment,
  mostAttachments,
  notTheUploader,
} from '@crewhall/contracts/boards/attachments.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { SpooledUpload } from '@crewhall/contracts/route.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { FileFacts } from '#platform/http/file-answer.ts'
import type { FileObjects, ObjectRows, PutObject } from '#platform/storage/uploaded-objects.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { type LockedCard, refuseArchived, withCard } from '../cards/locked-card.service.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { deriveName, derivePreview, deriveType } from './attachments.rules.ts'
import * as store from './attachments.store.ts'

export interface AttachmentDeps {
  readonly objects: FileObjects
  /** Of all files of a workspace. */
  readonly limit_bytes: number
}

/** For the sweep of objects. */
export const attachmentRows: ObjectRows = {
  findPosition: store.findSweepPosition,
  updatePosition: store.updateSweepPosition,
  listNamed: store.listNamedKeys,
}

export async function listAttachments(
  ctx: BrandCtx,
  card_id: string,
): Promise<{ items: ListedAttachment[] }> {
  const [board_id, rows] = await Promise.all([
    findBoardOfCard(ctx, card_id),
    store.listAttachments(ctx, card_id),
  ])
  if (board_id === undefined) throw cardNotFound()
  return { items: rows.map(presentListed) }
}

export async function getAttachment(ctx: BrandCtx, id: string): Promise<Attachment> {
  return present(await getRow(ctx, id))
}

/**
 * Before the row that names it. A file for which there is no card or no room is not stored at all; whether that is still so
 * is asked again under the lock.
 */
export async function storeFile(
  ctx: OutsideBrandCtx,
  { objects, limit_bytes }: AttachmentDeps,
  card_id: string,
  file: SpooledUpload,
): Promise<PutObject> {
  const [{ items }, bytes] = await Promise.all([listAttachments(ctx, card_id), store.countBytes(ctx)])
  if (items.length >= mostAttachments) throw attachmentLimit()
  if (bytes + file.size > limit_bytes) throw filesFull()
  const { size, digest } = file
  const put = await objects.put(ctx, {
    size,
    digest,
    content_type: deriveType(file),
    read: () => file.read(),
  })
  await ctx.faultPoint('attachments.put')
  return put
}

/** Without an object only in a dry run. */
export const nameFile = (
  ctx: BrandCtx,
  { objects, limit_bytes }: AttachmentDeps,
  card_id: string,
  file: SpooledUpload,
  put: PutObject | undefined,
): Promise<Attachment> =>
  withCard(ctx, card_id, async (ctx, at) => {
    if (put) objects.refuseLate(ctx, put)
    refuseArchived(at)
    if (at.card.attachments_count >= mostAttachments) throw attachmentLimit()
    const row = await store.insertAttachment(ctx, {
      card_id,
      object_key: put?.object_key ?? '',
      name: deriveName(file.filename),
      content_type: deriveType(file),
      size: file.size,
      sha256: file.digest,
      preview: derivePreview(file),
      created_by: boardActorOf(ctx.actor),
    })
    if (!row) throw cardNotFound()
    // The row of the sum is locked by now: who comes next sees this file.
    if ((await store.countBytes(ctx)) > limit_bytes) throw filesFull()
    await record(ctx, at, 'attachment.added', row)
    return present(row)
  })

export async function removeAttachment(ctx: BrandCtx, id: string): Promise<{ removed: true }> {
  const { card_id } = await getRow(ctx, id)
  return withCard(ctx, card_id, async (ctx, at) => {
    const row = await getRow(ctx, id)
    if (!mayRemove(ctx, row)) throw notTheUploader()
    await store.deleteAttachment(ctx, id)
    // No commit without the job, no job without the commit.
    await ctx.enqueue(dropAttachmentObject, { object_key: row.object_key })
    await record(ctx, at, 'attachment.removed', row)
    return { removed: true }
  })
}

/** Always a download, and looked up again each time: whoever lost access gets none. */
export async function openFile(
  ctx: OutsideBrandCtx,
  { objects }: AttachmentDeps,
  { id, board_id }: { readonly id: string; readonly board_id?: string },
): Promise<FileFacts> {
  const { object_key, name, content_type, size, sha256, card_id } = await getRow(ctx, id)
  if (board_id !== undefined && (await findBoardOfCard(ctx, card_id)) !== board_id) throw attachmentNotFound()
  return {
    content_type: content_type === 'text/plain' ? 'text/plain; charset=utf-8' : content_type,
    digest: sha256,
    keep: 'revalidate',
    disposition: { attachment: name },
    size,
    async load() {
      const bytes = await objects.load(ctx, object_key, size)
      if (!bytes) throw attachmentNotFound()
      return bytes
    },
  }
}

async function getRow(ctx: BrandCtx, id: string): Promise<store.AttachmentRow> {
  const row = await store.findAttachment(ctx, id)
  if (!row) throw attachmentNotFound()
  return row
}

function mayRemove({ actor }: BrandTx, { created_by }: store.AttachmentRow): boolean {
  const own = boardActorOf(actor)
  const isAdmin = actor.kind === 'person' && actor.role === 'admin'
  return isAdmin || (own.kind === created_by.kind && own.id === created_by.id)
}

const record = (
  ctx: BrandTx,
  { board, card }: LockedCard,
  action: 'attachment.added' | 'attachment.removed',
  { id, name, content_type, size }: store.AttachmentRow,
) =>
  recordActivity(ctx, {
    board_id: board.id,
    action,
    card_id: card.id,
    actor: boardActorOf(ctx.actor),
    data: { attachment_id: id, name, content_type, size },
  })

const presentListed = ({ card_id, object_key: _, ...row }: store.ListedRow): ListedAttachment => ({
  id: row.id,
  task_id: card_id,
  name: row.name,
  content_type: row.content_type,
  size: row.size,
  sha256: row.sha256,
  created_by: row.created_by,
  created_at: row.created_at,
})
const present = (row: store.AttachmentRow): Attachment => ({ ...presentListed(row), preview: row.preview })
