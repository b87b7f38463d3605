import type { Module } from '#platform/modules/module.ts'
import { catalogRoutes } from './catalog/catalog.routes.ts'

/** For the migration command. */
export { loadShipped as loadShippedEmployees } from './catalog/shipped.service.ts'

export const createHires = (): Module => ({ routes: catalogRoutes })
