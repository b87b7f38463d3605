import * as contract from '@crewhall/contracts/hires/catalog.ts'
import { getEmployee, listEmployees } from '@crewhall/contracts/hires/employees.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './catalog.service.ts'
import * as employees from './employees.service.ts'

export const catalogRoutes = [
  handle(listEmployees, (ctx, { query }) => employees.listEmployees(ctx, query)),
  handle(getEmployee, (ctx, { params }) => employees.getEmployee(ctx, params.profile_id)),
  handle(contract.listCatalog, (ctx, { query }) => service.listCatalog(ctx, query)),
  handle(contract.getCatalogEmployee, (ctx, { params }) =>
    service.getCatalogEmployee(ctx, params.profile_id),
  ),
  handle(contract.createEmployee, (ctx, { body }) => service.createEmployee(ctx, body)),
  handle(contract.changeDraft, (ctx, { params, body }) => service.changeDraft(ctx, params.profile_id, body)),
  handle(contract.publishEmployee, (ctx, { params, body }) =>
    service.publishEmployee(ctx, params.profile_id, body.revision),
  ),
  handle(contract.withdrawEmployee, (ctx, { params }) => service.withdrawEmployee(ctx, params.profile_id)),
]
