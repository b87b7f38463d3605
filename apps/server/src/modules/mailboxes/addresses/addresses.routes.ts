import * as contract from '@crewhall/contracts/mailboxes/addresses.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './addresses.service.ts'

export const addressRoutes = (deps: service.AddressDeps) => [
  handle(contract.getAddress, (ctx) => service.getMyAddress(ctx, deps)),
  handle(contract.getAvailability, (ctx, { query }) => service.tellAvailability(ctx, deps, query.name)),
  handle(contract.renameAddress, (ctx, { body }) => service.renameMyAddress(ctx, deps, body.name)),
]
