import * as contract from '@crewhall/contracts/fleet/logs.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './logs.service.ts'

export const logRoutes = [
  handle(contract.requestLogs, (ctx, { params }) => service.requestLogs(ctx, params.machine_id)),
  handle(contract.getLogs, (ctx, { params }) => service.getLogs(ctx, params.machine_id)),
  handle(contract.sendLogs, async (ctx, { body }) => {
    await service.receiveLogs(ctx, body.text)
    return { received: true as const }
  }),
]
