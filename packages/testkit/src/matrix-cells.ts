import { type AnyRoute, successStatus } from '@crewhall/contracts/route.ts'
import type { CallerFacts, World } from './matrix-world.ts'

export const idKinds = ['own', 'foreign', 'missing', 'malformed'] as const
export type IdKind = (typeof idKinds)[number]

/** Which kind of id goes to which resource of the route, by the names of its `resources`. */
export type Ids = Readonly<Record<string, IdKind>>

/**
 * What the platform has for everybody, such as the profiles of its catalog. No workspace owns one, so none is
 * foreign; a name that is not in the catalog has its own refusal.
 */
const catalogs: Readonly<Record<string, { own: string; missing: string; refused: number }>> = {
  coder: { own: 'codex', missing: 'nobody', refused: 404 },
  coder_profile: { own: 'claude.hard', missing: 'claude.none', refused: 404 },
  coder_setting: { own: 'effort', missing: 'nothing', refused: 422 },
  feature: { own: 'skills', missing: 'nothing', refused: 422 },
}

const kindsOf = (resource: string): readonly IdKind[] => (catalogs[resource] ? ['own', 'missing'] : idKinds)

/** Every combination of kinds over the resources of a route; one empty one when it has none. */
export function combinationsOf({ resources = {} }: AnyRoute): Ids[] {
  return Object.entries(resources).reduce<Ids[]>(
    (found, [name, resource]) =>
      found.flatMap((ids) => kindsOf(resource).map((kind) => ({ ...ids, [name]: kind }))),
    [{}],
  )
}

/** The same call with ids that nothing bears in place of ids of a foreign workspace. */
export const withoutForeign = (ids: Ids): Ids =>
  Object.fromEntries(Object.entries(ids).map(([name, kind]) => [name, kind === 'foreign' ? 'missing' : kind]))

export const hasForeign = (ids: Ids): boolean => Object.values(ids).includes('foreign')

/**
 * What the published order of refusals says about a cell, worked out from the contract alone: credential,
 * workspace in the path, scope, role, form, object. It shares no code with the server.
 */
export function expectedStatus(route: AnyRoute, caller: CallerFacts, ids: Ids): number {
  const { auth } = route
  if (auth.kind === 'nobody') throw new Error(`${route.id} is public and has no place in the matrix`)
  const takesTokens = auth.kind === 'token' || (auth.kind === 'person' && auth.credential === 'any')
  if (!caller.is_live || (caller.credential === 'token' && !takesTokens)) return 401
  // No caller of the matrix is staff.
  if (auth.kind === 'platform_admin') return 403
  const owns = (kind: IdKind) => kind === 'own' && caller.brand === 'one'
  if (auth.kind !== 'person') {
    if (ids.brand_id !== undefined && !owns(ids.brand_id)) return 404
    if (caller.brand === null) return 401
    const needed = auth.kind === 'token' && caller.credential === 'token' ? auth.scopes : []
    if (needed.some((scope) => !caller.scopes.includes(scope))) return 403
    if (auth.role === 'admin' && caller.role !== 'admin') return 403
  }
  const given = Object.entries(ids)
  const isMalformed = (inPath: boolean) =>
    given.some(([name, kind]) => kind === 'malformed' && inPath !== name.includes('.'))
  if (isMalformed(true)) return 404
  if (isMalformed(false)) return route.invalid ?? 422
  const catalogOf = (name: string) => catalogs[route.resources?.[name] ?? '']
  const absent = given.find(([name, kind]) => (catalogOf(name) ? kind !== 'own' : !owns(kind)))
  return absent ? (catalogOf(absent[0])?.refused ?? 404) : successStatus(route)
}

type Value = string | number

/** What stands for a kind of thing. A contract that names another kind of resource needs a line here. */
const valuesOf: Readonly<Record<string, (world: World, kind: IdKind) => Value>> = {
  brand: ({ brands }, kind) => pick(kind, brands.one, brands.three, nowhere),
  token: ({ tokens }, kind) => pick(kind, tokens.one, tokens.three, '00000000-0000-4000-8000-000000000000'),
  person: ({ admins }, kind) => pick(kind, admins.one.id, admins.three.id, nowhere),
  plan: (_, kind) => pick(kind, 'free', 'business', 'nothing'),
}
const nowhere = 2_000_000_000

const pick = (kind: IdKind, own: Value, foreign: Value, missing: Value): Value =>
  ({ own, foreign, missing, malformed: 'nope!' })[kind]

/** Bodies that are good but for their ids. A route that takes a body needs a line here. */
const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'identity.switchBrand': {},
  'profiles.changeProfile': { effort: 'low' },
  'profiles.changeCoder': { available: true },
  'profiles.previewBuild': { desk: { coder: 'codex' } },
  'identity.createToken': { name: 'made by the matrix', scopes: [] },
}

export interface Call {
  readonly path: string
  readonly init: RequestInit
}

/** The request of a cell. `fresh` replaces values that the call may use up. */
export function callOf(
  route: AnyRoute,
  world: World,
  ids: Ids,
  headers: Readonly<Record<string, string>>,
  fresh: Readonly<Record<string, Value>>,
): Call {
  const body: Record<string, unknown> = { ...bodyOf(route) }
  const query = new URLSearchParams()
  let path: string = route.path
  for (const [name, kind] of Object.entries(ids)) {
    const resource = route.resources?.[name] ?? ''
    const catalog = catalogs[resource]
    const value =
      fresh[resource] ??
      (catalog ? catalog[kind === 'own' ? 'own' : 'missing'] : valuesOf[resource]?.(world, kind))
    if (value === undefined) throw new Error(`${route.id}: no ids are known for the resource ${resource}`)
    const [place, field = ''] = name.split('.')
    if (place === 'body') body[field] = value
    else if (place === 'query') query.set(field, String(value))
    else path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  const { method } = route
  if (!route.body) return { path: `${path}${query.size > 0 ? `?${query}` : ''}`, init: { method, headers } }
  const init = json(method, body, headers)
  return { path, init }
}

function bodyOf({ id, auth, body }: AnyRoute): Readonly<Record<string, unknown>> {
  const known = bodies[id]
  // Platform routes refuse every caller of the matrix before they look at a body.
  if (known || !body || auth.kind === 'platform_admin') return known ?? {}
  throw new Error(`${id}: the matrix knows no good body for it`)
}

const json = (method: string, body: unknown, headers: Readonly<Record<string, string>>): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
