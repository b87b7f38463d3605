import * as contract from '@crewhall/contracts/memory/stats.ts'
import { handle } from '#platform/http/handle.ts'
import { getStats } from './stats.service.ts'

export const statsRoutes = [handle(contract.getStats, (ctx, { query }) => getStats(ctx, query.agent_id))]
