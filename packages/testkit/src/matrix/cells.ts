import { randomBytes } from 'node:crypto'
import { type AnyRoute, type Example, successStatus } from '@crewhall/contracts/route.ts'
import { formOf, newEmail } from '../people.ts'
import { png } from '../pictures/picture-png.ts'
import { outsiderEmail } from './docs.ts'
import { matrixHookUrl } from './webhooks.ts'
import type { CallerFacts, World } from './world.ts'

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
  relation_kind: { own: 'relates', missing: 'hates', refused: 404 },
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

/** What can be wrong with any body before its fields are looked at. */
const bodyFaults = ['unparsable', 'nul', 'content_type'] as const
export type BodyFault = (typeof bodyFaults)[number]

/**
 * The cells with a faulty body: every fault with ids that are all one's own, and one of them with another
 * workspace in the path, which has to be refused first.
 */
export function faultyCellsOf(route: AnyRoute): { ids: Ids; fault: BodyFault }[] {
  if (!route.body) return []
  const names = Object.keys(route.resources ?? {})
  const own: Ids = Object.fromEntries(names.map((name) => [name, 'own' as const]))
  const cells = bodyFaults.map((fault) => ({ ids: own, fault }))
  if (!own.brand_id) return cells
  return [...cells, { ids: { ...own, brand_id: 'foreign' }, fault: 'unparsable' as const }]
}

/** The same call with a body that cannot be taken, whatever it says. */
export function withFault(call: Call, fault: BodyFault): Call {
  const headers = call.init.headers as Record<string, string>
  const changed = {
    unparsable: { body: '{' },
    nul: { body: '{"note":"\\u0000"}' },
    content_type: { headers: { ...headers, 'content-type': 'text/plain' } },
  }[fault]
  return { ...call, init: { ...call.init, ...changed } }
}

/**
 * What the published order of refusals says about a cell, worked out from the contract alone: credential,
 * workspace in the path, scope, role, form, object. It shares no code with the server.
 */
export function expectedStatus(route: AnyRoute, caller: CallerFacts, ids: Ids, fault?: BodyFault): number {
  const { auth } = route
  if (auth.kind === 'nobody') throw new Error(`${route.id} is public and has no place in the matrix`)
  const takesTokens = auth.kind === 'token' || (auth.kind === 'person' && auth.credential === 'any')
  if (!caller.is_live || (caller.credential === 'token' && !takesTokens)) return 401
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
  const given = Object.entries(ids)
  const isMalformed = (inPath: boolean) =>
    given.some(([name, kind]) => kind === 'malformed' && inPath !== name.includes('.'))
  if (isMalformed(true)) return 404
  if (fault !== undefined || isMalformed(false)) return route.invalid ?? 422
  const catalogOf = (name: string) => catalogs[route.resources?.[name] ?? '']
  const ownsAs = (name: string, kind: IdKind) => {
    const resource = route.resources?.[name]
    if (isPersonal(resource)) return kind === 'own'
    return isShared(resource) ? kind === 'own' && caller.guest_of === 'one' : owns(kind)
  }
  const absent = given.find(([name, kind]) => (catalogOf(name) ? kind !== 'own' : !ownsAs(name, kind)))
  if (!absent) return refusedTo[route.id]?.(caller) ?? successStatus(route)
  const [name, kind] = absent
  if (route.foreign && kind !== 'missing') return route.foreign.status
  return refusedAs[`${route.id} ${name}`] ?? catalogOf(name)?.refused ?? 404
}

/** Ids outside the path that are answered with something else than 404. */
const refusedAs: Readonly<Record<string, number>> = {
  'boards.listMasterCards query.board_ids': 403,
  'webhooks.createWebhook body.board_ids': 422,
  'webhooks.changeWebhook body.board_ids': 422,
  'boards.moveCard body.before_id': 400,
  'boards.moveCard body.after_id': 400,
  'boards.addComment body.parent_id': 400,
  'boards.addSharedComment body.parent_id': 400,
  'boards.extendClaim body.claim_id': 409,
  'boards.releaseClaim body.claim_id': 409,
}

/** Callers who are refused although all is theirs. */
const refusedTo: Readonly<Record<string, (caller: CallerFacts) => number | undefined>> = {
  // The only admin of workspaces with other members.
  'identity.eraseMe': ({ role }) => (role === 'admin' ? 409 : undefined),
}

/** Belongs to whoever it is shared with, and to nobody else, not even to members of its workspace. */
const isShared = (resource = ''): boolean => resource.startsWith('shared_')

/** Belongs to whoever calls, of whichever workspace they are. */
const isPersonal = (resource = ''): boolean => resource === 'session'

type Value = string | number

/** What stands for a kind of thing. A contract that names another kind of resource needs a line here. */
const valuesOf: Readonly<Record<string, (world: World, kind: IdKind) => Value>> = {
  brand: ({ brands }, kind) => pick(kind, brands.one, brands.three, nowhere),
  token: ({ tokens }, kind) => pick(kind, tokens.one, tokens.three, '00000000-0000-4000-8000-000000000000'),
  session: ({ sessions }, kind) => pick(kind, sessions.one, sessions.three, nowhere),
  person: ({ admins }, kind) => pick(kind, admins.one.id, admins.three.id, nowhere),
  member: ({ admins }, kind) => pick(kind, admins.one.id, admins.three.id, nowhere),
  invitation: ({ invitations }, kind) => pick(kind, invitations.one, invitations.three, nowhere),
  guest: ({ docs }, kind) => pick(kind, docs.one.guest_id, docs.three.guest_id, nowhere),
  docs_space: (world, kind) => spaceOf(world, kind),
  docs_page: (world, kind) => pageOf(world, kind),
  shared_docs_space: (world, kind) => spaceOf(world, kind),
  shared_docs_page: (world, kind) => pageOf(world, kind),
  plan: (_, kind) => pick(kind, 'free', 'business', 'nothing'),
  board: ({ boards }, kind) => pick(kind, boards.one.board_id, boards.three.board_id, noThing),
  column: ({ boards }, kind) => pick(kind, boards.one.column_id, boards.three.column_id, noThing),
  column_beside: ({ boards }, kind) =>
    pick(kind, boards.one.other_column_id, boards.three.other_column_id, noThing),
  card: ({ boards }, kind) => pick(kind, boards.one.card_id, boards.three.card_id, noThing),
  card_above: ({ boards }, kind) => pick(kind, boards.one.first_card_id, boards.three.first_card_id, noThing),
  card_below: ({ boards }, kind) => pick(kind, boards.one.last_card_id, boards.three.last_card_id, noThing),
  comment: ({ boards }, kind) => pick(kind, boards.one.comment_id, boards.three.comment_id, noThing),
  run: ({ boards }, kind) => pick(kind, boards.one.run_id, boards.three.run_id, noThing),
  // Nobody holds the cards that are there already.
  claim: ({ boards }, kind) => pick(kind, boards.one.card_id, boards.three.card_id, noThing),
  board_guest: ({ board_guests }, kind) => pick(kind, board_guests.one, board_guests.three, nowhere),
  shared_board: ({ boards }, kind) => pick(kind, boards.one.board_id, boards.three.board_id, noThing),
  shared_card: ({ boards }, kind) => pick(kind, boards.one.card_id, boards.three.card_id, noThing),
  shared_comment: ({ boards }, kind) => pick(kind, boards.one.comment_id, boards.three.comment_id, noThing),
  webhook: ({ webhooks }, kind) => pick(kind, webhooks.one.webhook_id, webhooks.three.webhook_id, noThing),
  webhook_delivery: ({ webhooks }, kind) =>
    pick(kind, webhooks.one.delivery_id, webhooks.three.delivery_id, noThing),
  answered_comment: ({ boards }, kind) => pick(kind, boards.one.comment_id, boards.three.comment_id, noThing),
}
const nowhere = 2_000_000_000

const noThing = '00000000-0000-4000-8000-000000000000'
const spaceOf = ({ docs }: World, kind: IdKind): Value =>
  pick(kind, docs.one.space_id, docs.three.space_id, noThing)
const pageOf = ({ docs }: World, kind: IdKind): Value =>
  pick(kind, docs.one.page_id, docs.three.page_id, noThing)

const pick = (kind: IdKind, own: Value, foreign: Value, missing: Value): Value =>
  ({ own, foreign, missing, malformed: 'nope!' })[kind]

type Fields = Readonly<Record<string, unknown>>

/** Bodies that are good but for their ids. A route that takes a body needs a line here. */
const bodies: Readonly<Record<string, Fields | ((world: World) => Fields)>> = {
  'identity.eraseMe': { password: 'correct horse battery' },
  'identity.eraseBrand': ({ marks }) => ({ name: `W ${marks.one}` }),
  'identity.switchBrand': {},
  'identity.changePassword': { current_password: 'correct horse battery', password: 'made by the matrix' },
  'workspaces.changeMember': { position: 'set by the matrix' },
  'workspaces.setMemberPassword': { password: 'made by the matrix' },
  // Nobody is invited twice.
  'workspaces.createInvitation': {
    get email() {
      return newEmail()
    },
  },
  'workspaces.changeFeature': { on: true },
  'docs.createSpace': { name: 'made by the matrix' },
  'docs.renameSpace': { name: 'named by the matrix' },
  'docs.createPage': { title: 'made by the matrix', body: '' },
  'docs.changePage': { title: 'named by the matrix' },
  'docs.addSpaceGuest': { email: outsiderEmail, role: 'viewer' },
  'docs.changeSpaceGuest': { role: 'editor' },
  'docs.createSharedPage': { title: 'made by the matrix', body: '' },
  'docs.changeSharedPage': { body: 'written by the matrix' },
  // A name is had once.
  'mailboxes.renameAddress': {
    get name() {
      return newMailName()
    },
  },
  // No two boards have one key.
  'boards.createBoard': {
    name: 'made by the matrix',
    get key() {
      return [...randomBytes(9)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('')
    },
  },
  'boards.changeBoard': { description: 'written by the matrix' },
  'boards.addColumn': {
    status: 'done',
    get name() {
      return newMailName()
    },
  },
  'boards.changeColumn': { wip_limit: 7 },
  'boards.createCard': { title: 'made by the matrix' },
  'boards.changeCard': { title: 'named by the matrix' },
  'boards.moveCard': {},
  'boards.archiveCard': {},
  'boards.claimCard': {},
  'boards.claimNext': {},
  'boards.extendClaim': { epoch: 1 },
  'boards.releaseClaim': { epoch: 1 },
  'boards.startRun': {},
  'boards.changeRun': { summary: 'written by the matrix' },
  'boards.addComment': { body: 'written by the matrix' },
  'boards.changeComment': { body: 'written by the matrix' },
  'boards.addBoardGuest': { email: outsiderEmail, role: 'viewer' },
  'boards.changeBoardGuest': { role: 'editor' },
  'boards.createSharedCard': { title: 'made by the matrix' },
  'boards.changeSharedCard': { description: 'written by the matrix' },
  'boards.addSharedComment': { body: 'written by the matrix' },
  'webhooks.createWebhook': { url: matrixHookUrl, events: ['run.finished'] },
  'webhooks.changeWebhook': { events: ['run.*'] },
  'profiles.changeProfile': { effort: 'low' },
  'profiles.changeCoder': { available: true },
  'profiles.previewBuild': { desk: { coder: 'codex' } },
  'identity.createToken': { name: 'made by the matrix', scopes: [] },
}

const newMailName = () => `m${randomBytes(6).toString('hex')}`

/** Queries without which a route refuses every call. */
const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'mailboxes.getAvailability': { name: newMailName() },
}

export interface Call {
  readonly path: string
  readonly init: RequestInit
}

/** The request of a cell. `fresh` replaces values that the call may use up, `example` body and query of the matrix. */
export function callOf(
  route: AnyRoute,
  world: World,
  ids: Ids,
  headers: Readonly<Record<string, string>>,
  fresh: Readonly<Record<string, Value>>,
  example?: Example,
): Call {
  const body: Record<string, unknown> = { ...(example ? example.body : bodyOf(route, world)) }
  const query = new URLSearchParams((example ? example.query : queries[route.id]) ?? {})
  let path: string = route.path
  for (const [name, kind] of Object.entries(ids)) {
    const resource = route.resources?.[name] ?? ''
    const catalog = catalogs[resource]
    const value =
      fresh[resource] ??
      (catalog ? catalog[kind === 'own' ? 'own' : 'missing'] : valuesOf[resource]?.(world, kind))
    if (value === undefined) throw new Error(`${route.id}: no ids are known for the resource ${resource}`)
    const [place, field = ''] = name.split('.')
    if (place === 'body') body[field] = field.endsWith('_ids') ? [value] : value
    else if (place === 'query') query.set(field, String(value))
    else path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  const { method } = route
  // The only files that routes take so far are pictures.
  if (route.upload) {
    const form = formOf(route.upload.field, png({ width: 2, height: 2 }))
    return { path, init: { method, headers, body: form } }
  }
  if (query.size > 0) path += `?${query}`
  return { path, init: route.body ? json(method, body, headers) : { method, headers } }
}

function bodyOf({ id, auth, body }: AnyRoute, world: World): Fields {
  const line = bodies[id]
  const known = typeof line === 'function' ? line(world) : line
  // Platform routes refuse every caller of the matrix before they look at a body.
  if (known || !body || auth.kind === 'platform_admin') return known ?? {}
  throw new Error(`${id}: the matrix knows no good body for it`)
}

const json = (method: string, body: unknown, headers: Readonly<Record<string, string>>): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
