import { type AnyRoute, successStatus } from '@crewhall/contracts/route.ts'
import { type BodyFault, catalogOf, type IdKind, type Ids } from './cells.ts'
import type { CallerFacts } from './part.ts'
import { refusedAs, refusedTo, resources } from './parts.ts'

const namesBrand = new Set(['body.brand_id', 'query.brand_id'])

/**
 * What the published order of refusals says about a cell, worked out from the contract alone: credential,
 * workspace in the path, scope, role, form, object. It shares no code with the server.
 */
export function expectedStatus(route: AnyRoute, caller: CallerFacts, ids: Ids, fault?: BodyFault): number {
  const { auth } = route
  if (auth.kind === 'nobody') throw new Error(`${route.id} is public and has no place in the matrix`)
  const takesTokens = auth.kind === 'token' || (auth.kind === 'person' && auth.credential === 'any')
  if (!caller.is_live || (caller.credential === 'token' && !takesTokens)) return 401
  // What desks may do is in the tests of their protocol; here they are refused everywhere else.
  if (auth.kind === 'desk') return 401
  // No caller of the matrix is staff.
  if (auth.kind === 'platform_admin') return 403
  const owns = (kind: IdKind) => kind === 'own' && caller.brand === 'one'
  if (auth.kind !== 'person') {
    if (ids.brand_id !== undefined && !owns(ids.brand_id)) return 404
    if (caller.brand === null) return 403
    const needed = auth.kind === 'token' && caller.credential === 'token' ? auth.scopes : []
    if (needed.some((scope) => !caller.scopes.includes(scope))) return 403
    if (auth.role === 'admin' && caller.role !== 'admin') return 403
  }
  // AUTH-06: the workspace is that of the session, whatever else names one. No caller of the matrix is staff.
  const given = Object.entries(ids).filter(
    ([name]) => auth.kind !== 'session_or_admin' || !namesBrand.has(name),
  )
  const isMalformed = (inPath: boolean) =>
    given.some(([name, kind]) => kind === 'malformed' && inPath !== name.includes('.'))
  if (isMalformed(true)) return route.missing?.status ?? 404
  if (fault !== undefined || isMalformed(false)) return route.invalid ?? 422
  const ownsAs = (name: string, kind: IdKind) => {
    const resource = resources[route.resources?.[name] ?? '']
    if (!resource || 'own' in resource || resource.belongs_to === 'caller') return kind === 'own'
    return resource.belongs_to === 'guests' ? kind === 'own' && caller.guest_of === 'one' : owns(kind)
  }
  const absent = given.find(([name, kind]) => !ownsAs(name, kind))
  if (!absent) return refusedTo[route.id]?.(caller) ?? successStatus(route)
  const [name, kind] = absent
  // What the part of the module says of one id goes before what the contract says of the resource in its path.
  const stated = refusedAs[`${route.id} ${name}`]
  if (stated === undefined && route.foreign && kind !== 'missing') return route.foreign.status
  return stated ?? catalogOf(route.resources?.[name])?.refused ?? 404
}
