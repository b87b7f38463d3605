import * as contract from '@crewhall/contracts/docs-spaces/space-guests.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './space-guests.service.ts'

export const spaceGuestRoutes = [
  handle(contract.listSpaceGuests, (ctx, { params, query }) =>
    service.listGuestsOf(ctx, params.space_id, query),
  ),
  handle(contract.addSpaceGuest, (ctx, { params, body }) => service.admitGuest(ctx, params.space_id, body)),
  handle(contract.changeSpaceGuest, (ctx, { params, body }) => service.changeGuest(ctx, params, body.role)),
  handle(contract.removeSpaceGuest, async (ctx, { params }) => {
    await service.dismissGuest(ctx, params)
    return { removed: true as const }
  }),
]
