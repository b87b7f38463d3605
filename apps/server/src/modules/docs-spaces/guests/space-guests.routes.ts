import * as contract from '@crewhall/contracts/docs-spaces/space-guests.ts'
import { handle } from '#platform/http/handle.ts'
import { spaceSharing } from './space-guests.service.ts'

const refOf = ({ space_id, user_id }: { space_id: string; user_id: number }) => ({
  resource_id: space_id,
  person_id: user_id,
})

export const spaceGuestRoutes = [
  handle(contract.listSpaceGuests, (ctx, { params, query }) =>
    spaceSharing.listGuests(ctx, params.space_id, query),
  ),
  handle(contract.addSpaceGuest, (ctx, { params, body }) =>
    spaceSharing.addGuest(ctx, params.space_id, body),
  ),
  handle(contract.changeSpaceGuest, (ctx, { params, body }) =>
    spaceSharing.changeGuest(ctx, refOf(params), body.role),
  ),
  handle(contract.removeSpaceGuest, async (ctx, { params }) => {
    await spaceSharing.removeGuest(ctx, refOf(params))
    return { removed: true as const }
  }),
]
