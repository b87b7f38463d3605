import * as contract from '@crewhall/contracts/identity/admin.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './admin.service.ts'
import { appointStaff, dismissStaff } from './staff.service.ts'

export const adminRoutes = [
  handle(contract.listPlans, async (ctx) => ({ plans: await service.listAllPlans(ctx) })),
  handle(contract.changePlan, (ctx, { params, body }) => service.replacePlan(ctx, { ...params, ...body })),
  handle(contract.listBrands, (ctx, { query }) => service.listBrandPage(ctx, query)),
  handle(contract.createBrand, (ctx, { body }) => service.openBrand(ctx, body)),
  handle(contract.changeBrandPlan, (ctx, { params, body }) =>
    service.moveToPlan(ctx, params.brand_id, body.plan_key),
  ),
  handle(contract.changeSubscription, (ctx, { params, body }) =>
    service.replaceSubscription(ctx, params.brand_id, body),
  ),
  handle(contract.changePolicy, (ctx, { params, body }) =>
    service.replaceCeiling(ctx, params.brand_id, body.scope_ceiling),
  ),
  handle(contract.addStaff, (ctx, { params }) => appointStaff(ctx, params.person_id)),
  handle(contract.removeStaff, (ctx, { params }) => dismissStaff(ctx, params.person_id)),
]
