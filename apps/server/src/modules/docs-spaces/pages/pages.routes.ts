import * as contract from '@crewhall/contracts/docs-spaces/pages.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './pages.service.ts'

export const pageRoutes = [
  handle(contract.listPages, (ctx, { params, query }) => service.listPagesOf(ctx, params.space_id, query)),
  handle(contract.createPage, (ctx, { params, body }) => service.writePage(ctx, params.space_id, body)),
  handle(contract.getPage, (ctx, { params }) => service.getPage(ctx, params)),
  handle(contract.changePage, (ctx, { params, body }) => service.changePage(ctx, params, body)),
  handle(contract.deletePage, async (ctx, { params }) => {
    await service.discardPage(ctx, params)
    return { deleted: true as const }
  }),
]
