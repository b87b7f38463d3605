import * as contract from '@crewhall/contracts/conversations/usage.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './usage.service.ts'

export const usageRoutes = (deps: service.UsageDeps) => [
  handle(contract.getUsage, (ctx, { query }) => service.getUsage(ctx, deps, query)),
]
