import * as contract from '@crewhall/contracts/boards/views.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './views.service.ts'

export const viewRoutes = [
  handle(contract.listViews, (ctx, { query }) => service.listViewPage(ctx, query)),
  handle(contract.createView, (ctx, { body }) => service.addView(ctx, body)),
  handle(contract.getView, (ctx, { params }) => service.getView(ctx, params.view_id)),
  handle(contract.changeView, (ctx, { params, body }) => service.changeView(ctx, params.view_id, body)),
  handle(contract.removeView, (ctx, { params }) => service.removeView(ctx, params.view_id)),
  handle(contract.listViewCards, (ctx, { params, query }) =>
    service.listCardsOfView(ctx, params.view_id, query),
  ),
]
