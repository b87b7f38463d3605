import type { AnyRoute } from '@crewhall/contracts/route.ts'

export type RouteTable = typeof import('@crewhall/contracts/routes.ts')['routes']

/** The route of `boards.getCard`; nothing if there is none. */
export function findRoute(routes: RouteTable, name: string) {
  const [module = '', method = ''] = name.split('.')
  const methods = Object.hasOwn(routes, module) ? routes[module as keyof RouteTable] : undefined
  return methods && Object.hasOwn(methods, method) ? (methods as Record<string, AnyRoute>)[method] : undefined
}
