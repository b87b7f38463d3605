import * as contract from '@crewhall/contracts/fleet/workstations.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './desks.service.ts'

export const deskRoutes = (deps: service.DeskDeps) => [
  handle(contract.orderDesk, (ctx, { body }) => service.orderDesk(ctx, deps, body)),
  handle(contract.listDesks, (ctx, { query }) => service.listDeskPage(ctx, deps, query)),
  handle(contract.getDesk, (ctx, { params }) => service.getDesk(ctx, params.workstation_id)),
  handle(contract.releaseDesk, async (ctx, { params: { workstation_id } }) => {
    await service.releaseDesk(ctx, workstation_id)
    return { workstation_id, released: true as const }
  }),
  handle(contract.regeneratePat, (ctx, { params }) =>
    service.regeneratePat(ctx, deps, params.workstation_id),
  ),
]
