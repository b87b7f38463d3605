import * as contract from '@crewhall/contracts/boards/columns.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './columns.service.ts'

export const columnRoutes = [
  handle(contract.addColumn, (ctx, { params, body }) => service.addColumn(ctx, params.board_id, body)),
  handle(contract.changeColumn, (ctx, { params, body }) => service.changeColumn(ctx, params.column_id, body)),
  handle(contract.removeColumn, (ctx, { params, query }) =>
    service.removeColumn(ctx, params.column_id, query.move_to),
  ),
]
