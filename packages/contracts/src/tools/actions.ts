import type { AnyRoute } from '../route.ts'
import type { BuiltInPackage, ToolAction } from './tool.ts'

type Rest = Omit<ToolAction, 'name' | 'route' | 'summary' | 'method'>
export type MakeAction = (name: string, route: AnyRoute, summary: string, rest?: Rest) => ToolAction

/** Actions that are methods of a package, named as their routes are and there since this version. */
export const actionsOf =
  (name: BuiltInPackage, since: string): MakeAction =>
  (action, route, summary, rest = {}) => ({
    name: action,
    route,
    summary,
    method: { package: name, name: route.id.slice(route.id.indexOf('.') + 1), since },
    ...rest,
  })

export const destructive = { is_destructive: true } as const
