import type { AnyRoute } from './route.ts'
import { getHealth, getInfo } from './system/system.ts'

/** Every route of the product, by module and method name. The server, the client and the documents read this. */
export const routes = {
  system: { getHealth, getInfo },
} as const

export const allRoutes: readonly AnyRoute[] = Object.values(routes).flatMap((module) => Object.values(module))
