import { listMasterCards } from '@crewhall/contracts/boards/master.ts'
import { handle } from '#platform/http/handle.ts'
import { readMaster } from './master.service.ts'

export const masterRoutes = [handle(listMasterCards, (ctx, { query }) => readMaster(ctx, query))]
