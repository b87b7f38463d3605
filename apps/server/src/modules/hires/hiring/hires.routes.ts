import * as contract from '@crewhall/contracts/hires/hires.ts'
import { handle, handleEither } from '#platform/http/handle.ts'
import * as service from './hires.service.ts'
import * as hiring from './hiring.service.ts'

export const hiringRoutes = [
  handleEither(contract.hireEmployee, {
    session: (ctx, { params, body }) => hiring.hireEmployee(ctx, params.profile_id, body),
    admin: (ctx, { params, body }) => hiring.grantHire(ctx.forBrand(body.brand_id), params.profile_id, body),
  }),
  handle(contract.listHires, (ctx, { query }) => service.listHires(ctx, query)),
  handleEither(contract.getHire, {
    session: (ctx, { params }) => service.getHire(ctx, params.hire_id),
    admin: async (ctx, { params }) =>
      service.getHire(await service.workspaceOf(ctx, params.hire_id), params.hire_id),
  }),
  handleEither(contract.retryHire, {
    session: (ctx, { params }) => service.retryHire(ctx, params.hire_id),
    admin: async (ctx, { params }) =>
      service.retryHire(await service.workspaceOf(ctx, params.hire_id), params.hire_id),
  }),
]
