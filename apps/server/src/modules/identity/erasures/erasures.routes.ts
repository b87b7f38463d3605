import * as contract from '@crewhall/contracts/identity/erasures.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './erasures.service.ts'

export const erasureRoutes = (deps: service.ErasureDeps) => [
  handle(contract.eraseMe, (ctx, { body, network }) =>
    service.askToEraseMe(ctx, deps, network, body.password),
  ),
  handle(contract.getMyErasure, (ctx) => service.getMyErasure(ctx)),
  handle(contract.keepMe, (ctx) => service.keepMe(ctx)),
  handle(contract.eraseBrand, (ctx, { body }) => service.askToEraseBrand(ctx, deps, body.name)),
  handle(contract.getBrandErasure, (ctx) => service.getOwnBrandErasure(ctx)),
  handle(contract.keepBrand, (ctx) => service.keepOwnBrand(ctx)),
  handle(contract.erasePerson, (ctx, { params }) => service.askToErasePerson(ctx, params.person_id)),
  handle(contract.getPersonErasure, (ctx, { params }) => service.getPersonErasure(ctx, params.person_id)),
  handle(contract.keepPerson, (ctx, { params }) => service.keepPerson(ctx, params.person_id)),
  handle(contract.eraseAnyBrand, (ctx, { params }) => service.askToEraseAnyBrand(ctx, params.brand_id)),
  handle(contract.getAnyBrandErasure, (ctx, { params }) => service.getAnyBrandErasure(ctx, params.brand_id)),
  handle(contract.keepAnyBrand, (ctx, { params }) => service.keepAnyBrand(ctx, params.brand_id)),
]
