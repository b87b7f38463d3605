import * as contract from '@crewhall/contracts/boards/boards.ts'
import { handle } from '#platform/http/handle.ts'
import type { KnownProjects } from '../boards.ports.ts'
import * as service from './boards.service.ts'

export const boardRoutes = (projects: () => readonly KnownProjects[]) => [
  handle(contract.listBoards, (ctx, { query }) => service.listBoardPage(ctx, query)),
  handle(contract.createBoard, (ctx, { body }) => service.openBoard(ctx, projects(), body)),
  handle(contract.getBoard, (ctx, { params }) => service.getBoard(ctx, params.board_id)),
  handle(contract.changeBoard, (ctx, { params, body }) =>
    service.changeBoard(ctx, projects(), params.board_id, body),
  ),
  handle(contract.archiveBoard, (ctx, { params }) => service.archiveBoard(ctx, params.board_id, true)),
  handle(contract.restoreBoard, (ctx, { params }) => service.archiveBoard(ctx, params.board_id, false)),
]
