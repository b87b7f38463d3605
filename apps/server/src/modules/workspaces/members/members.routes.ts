import * as contract from '@crewhall/contracts/workspaces/members.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import { mailResetLink, type PasswordDeps, setPasswordOf } from './member-passwords.service.ts'
import * as service from './members.service.ts'

const done = { success: true } as const

export const memberRoutes = (deps: PasswordDeps) => [
  handle(contract.listMembers, (ctx, { query }) => service.listMemberPage(ctx, query)),
  handle(contract.getMember, (ctx, { params }) => service.getOneMember(ctx, params.user_id)),
  handle(contract.changeMember, async (ctx, { params, body }) => {
    await service.changeMemberFields(ctx, params.user_id, body)
    return done
  }),
  handle(contract.removeMember, async (ctx, { params }) => {
    await service.removeOneMember(ctx, params.user_id)
    return done
  }),
  handleInPhases(contract.resetMemberPassword, {
    before: (ctx, { params }, claim) => mailResetLink(ctx, deps, params.user_id, claim),
    run: () => ({ ...done, message: 'A link to choose a new password was sent' }),
  }),
  handle(contract.setMemberPassword, async (ctx, { params, body }) => {
    await setPasswordOf(ctx, deps, params.user_id, body)
    return { ...done, message: 'The password was set, and all sessions of the person have ended' }
  }),
]
