import {
  attachmentNotFound,
  type ListedAttachment,
  type SharedAttachment,
} from '@crewhall/contracts/boards/attachments.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { SpooledUpload } from '@crewhall/contracts/route.ts'
import { editorRequired } from '@crewhall/contracts/workspaces/guests.ts'
import type { OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { FileFacts } from '#platform/http/file-answer.ts'
import { type CardRef, cardOnBoard, sharedWithMe, writing } from '../shared/shared.service.ts'
import * as attachments from './attachments.service.ts'

// Viewers see and download what is there, editors also add; members remove.

export async function listForGuest(ctx: SystemCtx, place: CardRef): Promise<{ items: SharedAttachment[] }> {
  const { inside } = await sharedWithMe.enter(ctx, place.board_id, cardNotFound)
  const { items } = await attachments.listAttachments(inside, await cardOnBoard(inside, place))
  return { items: items.map(present) }
}

export async function addAsGuest(
  ctx: OutsideSystemCtx,
  deps: attachments.AttachmentDeps,
  place: CardRef,
  file: SpooledUpload,
): Promise<SharedAttachment> {
  const { shared, inside } = await sharedWithMe.enter(ctx, place.board_id, cardNotFound)
  const card_id = await cardOnBoard(inside, place)
  if (shared.role !== 'editor') throw editorRequired()
  const put = await attachments.storeFile(inside, deps, card_id, file)
  const right = { ...place, absent: cardNotFound, role: 'editor' } as const
  return writing(ctx, right, async (ctx) =>
    present(await attachments.nameFile(ctx, deps, card_id, file, put)),
  )
}

export async function openForGuest(
  ctx: OutsideSystemCtx,
  deps: attachments.AttachmentDeps,
  { board_id, attachment_id }: { readonly board_id: string; readonly attachment_id: string },
): Promise<FileFacts> {
  const { inside } = await sharedWithMe.enter(ctx, board_id, attachmentNotFound)
  return attachments.openFile(inside, deps, { id: attachment_id, board_id })
}

const present = ({ created_by, id, task_id, name, ...rest }: ListedAttachment): SharedAttachment => ({
  id,
  task_id,
  name,
  content_type: rest.content_type,
  size: rest.size,
  sha256: rest.sha256,
  created_by: { kind: created_by.kind, name: created_by.name },
  created_at: rest.created_at,
})
