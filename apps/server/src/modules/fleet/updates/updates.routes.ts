import * as contract from '@crewhall/contracts/fleet/updates.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './updates.service.ts'

export const updateRoutes = [
  handle(contract.requestUpdate, (ctx, { params }) => service.requestUpdate(ctx, params.machine_id)),
  handle(contract.requestUpdates, (ctx) => service.requestUpdates(ctx)),
  handle(contract.listUpdates, (ctx, { params }) => service.listUpdates(ctx, params.machine_id)),
]
