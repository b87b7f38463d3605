import * as contract from '@crewhall/contracts/workspaces/guests.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import * as service from './guests.service.ts'

export const guestRoutes = (deps: service.GuestDeps) => [
  handle(contract.listGuests, async (ctx) => {
    const guests = await service.listAllGuests(ctx, deps)
    return ListAnswer.of({ name: 'guests', total: guests.length }, guests)
  }),
  handle(contract.makeMember, (ctx, { params }) => service.inviteGuest(ctx, deps, params.user_id)),
  handle(contract.removeGuest, (ctx, { params }) => service.removeGuest(ctx, deps, params.user_id)),
]
