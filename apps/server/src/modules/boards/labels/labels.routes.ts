import * as contract from '@crewhall/contracts/boards/labels.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './labels.service.ts'

export const labelRoutes = [
  handle(contract.listLabels, (ctx, { params, query }) => service.listLabelPage(ctx, params.board_id, query)),
  handle(contract.createLabel, (ctx, { params, body }) => service.addLabel(ctx, params.board_id, body)),
  handle(contract.changeLabel, (ctx, { params, body }) => service.changeLabel(ctx, params.label_id, body)),
  handle(contract.mergeLabel, (ctx, { params, body }) => service.mergeLabel(ctx, params.label_id, body.into)),
  handle(contract.removeLabel, (ctx, { params }) => service.removeLabel(ctx, params.label_id)),
]
