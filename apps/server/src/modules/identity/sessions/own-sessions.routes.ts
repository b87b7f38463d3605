import * as password from '@crewhall/contracts/identity/own-password.ts'
import * as contract from '@crewhall/contracts/identity/own-sessions.ts'
import { handle } from '#platform/http/handle.ts'
import { changeOwnPassword } from '../passwords/own-password.service.ts'
import * as service from './own-sessions.service.ts'
import type { TryLimits } from './sign-in-limits.service.ts'

export const ownSessionRoutes = (limits: TryLimits) => [
  handle(contract.listOwnSessions, async (ctx) => ({ sessions: await service.listSessionsOfCaller(ctx) })),
  handle(contract.endOwnSession, async (ctx, { params }) => {
    await service.endSessionOfCaller(ctx, params.session_id)
    return { ended: true as const }
  }),
  handle(contract.endOtherSessions, async (ctx) => ({ ended: await service.endOtherSessionsOfCaller(ctx) })),
  handle(password.changePassword, async (ctx, { body, network }) => {
    await changeOwnPassword(ctx, limits, network, body)
    return { done: true as const }
  }),
]
