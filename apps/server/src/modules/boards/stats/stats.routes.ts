import * as contract from '@crewhall/contracts/boards/stats.ts'
import { handle } from '#platform/http/handle.ts'
import { getBoardStats } from './stats.service.ts'

export const statsRoutes = [
  handle(contract.getBoardStats, (ctx, { params }) => getBoardStats(ctx, params.board_id)),
]
