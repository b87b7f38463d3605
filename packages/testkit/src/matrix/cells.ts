import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { CatalogResource } from './part.ts'
import { resources } from './parts.ts'

export const idKinds = ['own', 'foreign', 'missing', 'malformed'] as const
export type IdKind = (typeof idKinds)[number]

/** Which kind of id goes to which resource of the route, by the names of its `resources`. */
export type Ids = Readonly<Record<string, IdKind>>

const kindsOf = (resource: string): readonly IdKind[] => (catalogOf(resource) ? ['own', 'missing'] : idKinds)

/** The resource as an entry of a catalog, if it is one. */
export function catalogOf(resource: string | undefined): CatalogResource | undefined {
  const found = resources[resource ?? '']
  return found && 'own' in found ? found : undefined
}

const mostCombined = 4

/**
 * Every combination of kinds over the resources of a route; one empty one when it has none. Of more than four resources,
 * which would have a thousand, those with one id that is not the caller's own, and those with ids of one kind. An unknown
 * caller is refused before ids are looked at: for them, those with ids of one kind.
 */
export function combinationsOf(route: AnyRoute, isUnknown = false): Ids[] {
  const all = Object.entries(route.resources ?? {}).reduce<Ids[]>(
    (found, [name, resource]) =>
      found.flatMap((ids) => kindsOf(resource).map((kind) => ({ ...ids, [name]: kind }))),
    [{}],
  )
  const isOfOneKind = (ids: Ids) => new Set(Object.values(ids)).size <= 1
  if (isUnknown) return all.filter(isOfOneKind)
  if (Object.keys(route.resources ?? {}).length <= mostCombined) return all
  const others = (ids: Ids) => Object.values(ids).filter((kind) => kind !== 'own').length
  return all.filter((ids) => isOfOneKind(ids) || others(ids) <= 1)
}

export const ownOf = ({ resources = {} }: AnyRoute): Ids =>
  Object.fromEntries(Object.keys(resources).map((name) => [name, 'own' as const]))

/** The same call with ids that nothing bears in place of ids of a foreign workspace. */
export const withoutForeign = (ids: Ids): Ids =>
  Object.fromEntries(Object.entries(ids).map(([name, kind]) => [name, kind === 'foreign' ? 'missing' : kind]))

export const hasForeign = (ids: Ids): boolean => Object.values(ids).includes('foreign')

/** What can be wrong with any body before its fields are looked at. */
const bodyFaults = ['unparsable', 'nul', 'content_type'] as const
export type BodyFault = (typeof bodyFaults)[number]

/**
 * The cells with a faulty body: every fault with ids that are all one's own, and one of them with another
 * workspace in the path, which has to be refused first.
 */
export function faultyCellsOf(route: AnyRoute, isUnknown = false): { ids: Ids; fault: BodyFault }[] {
  if (!route.body) return []
  const own = ownOf(route)
  const cells = bodyFaults.map((fault) => ({ ids: own, fault }))
  if (isUnknown) return cells.slice(0, 1)
  if (!own.brand_id) return cells
  return [...cells, { ids: { ...own, brand_id: 'foreign' }, fault: 'unparsable' as const }]
}
