import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { Module } from '#platform/modules/module.ts'
import { catalogRoutes } from './catalog/catalog.routes.ts'
import { loadShipped } from './catalog/shipped.service.ts'
import type { CatalogDeps } from './catalog/templates.service.ts'

/** Packages of the product itself. Those of the marketplace come through its door. */
const builtIn = new Set(['boards', 'memory', 'lessons', 'workspace', 'desks', 'profiles'])

const deps: CatalogDeps = {
  packagesAmong: async (_ctx, keys) => new Set(keys.filter((key) => builtIn.has(key))),
}

export const createHires = (): Module => ({ routes: catalogRoutes(deps) })

/** For the migration command. */
export const loadShippedEmployees = (ctx: SystemCtx, folder: string): Promise<void> =>
  loadShipped(ctx, deps, folder)
