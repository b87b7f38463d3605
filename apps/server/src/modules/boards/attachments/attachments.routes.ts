import * as contract from '@crewhall/contracts/boards/attachments.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './attachments.service.ts'
import * as shared from './shared-attachments.service.ts'

export const attachmentRoutes = (deps: service.AttachmentDeps) => [
  handle(contract.listAttachments, async (ctx, { params }) =>
    service.listAttachments(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handleInPhases(contract.addAttachment, {
    dry_runs: 'without before',
    before: async (ctx, { params, file }) =>
      service.storeFile(ctx, deps, await cardIdOf(ctx, params.task_id), file),
    run: async (ctx, { params, file }, put) =>
      service.nameFile(ctx, deps, await cardIdOf(ctx, params.task_id), file, put),
  }),
  handle(contract.getAttachment, (ctx, { params }) => service.getAttachment(ctx, params.attachment_id)),
  handle(
    contract.downloadAttachment,
    async (ctx, { params }) =>
      new FileAnswer(await service.openFile(ctx, deps, { id: params.attachment_id })),
  ),
  handle(contract.removeAttachment, (ctx, { params }) => service.removeAttachment(ctx, params.attachment_id)),
  handle(contract.listSharedAttachments, (ctx, { params }) => shared.listForGuest(ctx, params)),
  handle(contract.addSharedAttachment, (ctx, { params, file }) => shared.addAsGuest(ctx, deps, params, file)),
  handle(
    contract.downloadSharedAttachment,
    async (ctx, { params }) => new FileAnswer(await shared.openForGuest(ctx, deps, params)),
  ),
]
