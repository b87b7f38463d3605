import * as contract from '@crewhall/contracts/fleet/health.ts'
import { handle } from '#platform/http/handle.ts'
import { getHealth } from './timeline.service.ts'

export const healthRoutes = [
  handle(contract.getHealth, (ctx, { params }) => getHealth(ctx, params.workstation_id)),
]
