import * as contract from '@crewhall/contracts/boards/imports.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './imports.service.ts'
import { readImport } from './read-import.service.ts'

export const importRoutes = [
  handle(contract.createImport, (ctx, { params, file }) => readImport(ctx, params.board_id, file)),
  handle(contract.listImports, (ctx, { params, query }) =>
    service.listImportPage(ctx, params.board_id, query),
  ),
  handle(contract.getImport, (ctx, { params }) => service.getImport(ctx, params.import_id)),
  handle(contract.startImport, (ctx, { params, body }) => service.startImport(ctx, params.import_id, body)),
  handle(contract.undoImport, (ctx, { params, body }) =>
    service.undoImport(ctx, params.import_id, body.force === true),
  ),
]
