import * as contract from '@crewhall/contracts/docs-spaces/shared.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './shared.service.ts'

export const sharedRoutes = [
  handle(contract.listShared, (ctx, { query }) => service.listSharedWith(ctx, query)),
  handle(contract.getShared, (ctx, { params }) => service.getShared(ctx, params.space_id)),
  handle(contract.listSharedPages, (ctx, { params, query }) =>
    service.listPagesForGuest(ctx, params.space_id, query),
  ),
  handle(contract.createSharedPage, (ctx, { params, body }) =>
    service.writePageAsGuest(ctx, params.space_id, body),
  ),
  handle(contract.getSharedPage, (ctx, { params }) => service.getPageForGuest(ctx, params)),
  handle(contract.changeSharedPage, (ctx, { params, body }) => service.changePageAsGuest(ctx, params, body)),
]
