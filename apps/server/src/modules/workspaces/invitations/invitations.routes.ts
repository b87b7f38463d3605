import * as contract from '@crewhall/contracts/workspaces/invitations.ts'
import { handle } from '#platform/http/handle.ts'
import { type AcceptanceDeps, acceptInvitation } from './acceptance.service.ts'
import * as service from './invitations.service.ts'

export const invitationRoutes = (deps: AcceptanceDeps & service.InvitingDeps) => [
  handle(contract.listInvitations, (ctx, { query }) => service.listInvitationPage(ctx, query)),
  handle(contract.createInvitation, (ctx, { body }) => service.inviteByAdmin(ctx, deps.limits, body)),
  handle(contract.revokeInvitation, async (ctx, { params }) => {
    await service.revokeOneInvitation(ctx, params.invitation_id)
    return { success: true as const }
  }),
  handle(contract.resendInvitation, (ctx, { params }) =>
    service.resendOneInvitation(ctx, deps.limits, params.invitation_id),
  ),
  handle(contract.acceptInvitation, (ctx, { body }) => acceptInvitation(ctx, deps, body)),
]
