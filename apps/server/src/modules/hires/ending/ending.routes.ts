import * as contract from '@crewhall/contracts/hires/cancel.ts'
import { handleEither, handleEitherInPhases, type MountedRoute } from '#platform/http/handle.ts'
import { workspaceOf } from '../hiring/hires.service.ts'
import { cancelLater, cancelNow, tellEnd } from './cancel.service.ts'
import type { Removals } from './removals.service.ts'

export const endingRoutes = (removals: Removals): MountedRoute[] => [
  handleEither(contract.cancelHire, {
    session: (ctx, { params }) => cancelLater(ctx, params.hire_id),
    admin: async (ctx, { params: { hire_id } }) => cancelLater(await workspaceOf(ctx, hire_id), hire_id),
  }),
  handleEitherInPhases(contract.cancelHireNow, {
    before: (ctx, { params }, claim) => cancelNow(ctx, removals, params.hire_id, claim),
    session: (ctx, { params }, is_removed) => tellEnd(ctx, params.hire_id, is_removed),
    admin: async (ctx, { params: { hire_id } }) => {
      const brand = await workspaceOf(ctx, hire_id)
      return tellEnd(brand, hire_id, await cancelNow(brand, removals, hire_id))
    },
  }),
]
