import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { buildJobs } from './building/build.jobs.ts'
import { catalogRoutes } from './catalog/catalog.routes.ts'
import { hireRowsOfBrand } from './erasure/erase-hires.service.ts'
import { hiringRoutes } from './hiring/hires.routes.ts'

/** For the migration command. */
export { loadShipped as loadShippedEmployees } from './catalog/shipped.service.ts'

export const createHires = (): Module => ({
  routes: [...catalogRoutes, ...hiringRoutes],
  jobs: buildJobs(),
  fills: [fill(erasureParts, { part: 'hires', brand: emptying(...hireRowsOfBrand) })],
})
