import {
  crossSite,
  notAuthenticated,
  otherBrand,
  platformAdminRequired,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Pass } from '#platform/ctx/door.ts'
import type { Authenticator, Request } from '#platform/http/handle.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { FurtherCredential } from '../identity.ports.ts'
import { digestOf } from '../secrets.ts'
import { type CookieOptions, sessionSecretOf } from '../sessions/session-cookie.ts'
import { isToken } from '../tokens/token-format.ts'
import { effectiveScopes, refusalOfCaller, takesAdmins } from './access.rules.ts'
import { type AdminKeys, isAdminKey } from './admin-keys.ts'
import { type CallerRow, findCallerBySession, findCallerByToken, updateLastUsed } from './callers.store.ts'
import { isCrossSite } from './cross-site.rules.ts'
import type { RememberedCallers } from './remembered-callers.ts'

export interface AuthenticateDeps {
  readonly cookie: CookieOptions
  /** Where people reach the service. */
  readonly own_origin: Pick<URL, 'origin' | 'protocol'>
  readonly admin_keys: AdminKeys
  readonly remembered: RememberedCallers<RememberedCaller>
  /** Told of each caller that had to be read from the database. */
  readonly lookups: Metrics['caller_lookups']
  readonly further: readonly FurtherCredential[]
}

/** What requests of one credential have in common. Looked up once a day at least, so that the day of last use is right. */
export interface RememberedCaller {
  readonly row: CallerRow
  readonly actor: PersonActor
  readonly pass: Pass | undefined
  readonly day: number
}

type CtxOfCaller = OutsideSystemCtx | OutsideBrandCtx

export const createAuthenticator = (deps: AuthenticateDeps): Authenticator => ({
  knows({ headers }) {
    const shown = credentialIn(deps, headers, true)
    return shown !== undefined && deps.remembered.find(keyOf(shown)) !== undefined
  },
  authenticate(spec, request, ctx, fresh) {
    const { auth } = spec
    if (auth.kind === 'nobody') {
      refuseCrossSite(deps, request)
      return auth.session ? visitorOf(deps, request, ctx) : ctx
    }
    if (auth.kind === 'desk') return further(deps, spec, request, ctx)
    const key = request.headers['x-admin-key']
    if (takesAdmins(auth) && key !== undefined) {
      // AUTH-G3: a key that is present and wrong is never a reason to look at another credential.
      if (!isAdminKey(deps.admin_keys, String(key))) throw notAuthenticated()
      return ctx.as({ kind: 'admin_key' })
    }
    const acceptsTokens = auth.kind === 'token' || (auth.kind === 'person' && auth.credential === 'any')
    const shown = credentialIn(deps, request.headers, acceptsTokens)
    if (!shown) throw notAuthenticated()
    // Only what a brand's transaction will check again may come from memory, and that is not whether somebody is staff.
    const mayRemember = !fresh && (auth.kind === 'token' || auth.kind === 'session')
    const known = mayRemember ? recall(deps, ctx, shown) : undefined
    // A cached caller is never admitted unchecked, and must not be refused unchecked either.
    return known && !refusalFor(spec, known.row, request)
      ? admit(deps, spec, request, ctx, known, known.pass)
      : admitAnew(deps, spec, request, ctx, shown)
  },
  permits({ auth }, actor) {
    if (auth.kind === 'nobody') return true
    if (actor.kind !== 'person') return false
    if (auth.kind === 'person') return auth.credential === 'any' || actor.credential === 'session'
    const isSession = actor.credential === 'session'
    if (isSession && actor.is_staff && takesAdmins(auth)) return true
    const takesSession = auth.kind === 'session' || auth.kind === 'session_or_admin'
    if (auth.kind !== 'token' && !(takesSession && isSession)) return false
    // Scopes of an actor lie within the ceiling.
    return refusalOfCaller(auth, { ...actor, ceiling: actor.scopes }, undefined) === undefined
  },
})

/** A caller of another module's kind. */
async function further(
  deps: AuthenticateDeps,
  { auth, path }: AnyRoute,
  { method, headers }: Request,
  ctx: OutsideSystemCtx,
): Promise<OutsideBrandCtx> {
  const known = deps.further.find(({ kind }) => kind === auth.kind)
  if (!known) throw notAuthenticated()
  deps.lookups.inc({ credential: auth.kind })
  const { brand_id, actor } = await known.authenticate(ctx, auth, { method, headers, path })
  return ctx.forBrand(brand_id, { actor })
}

async function visitorOf(
  deps: AuthenticateDeps,
  request: Request,
  ctx: OutsideSystemCtx,
): Promise<OutsideSystemCtx> {
  const shown = credentialIn(deps, request.headers, false)
  const visitor = shown && (await lookUp(deps, ctx, shown))
  return visitor ? ctx.as(visitor.actor) : ctx
}

/** Who is signed in, for pages: a route without a contract has nobody else to ask. Refuses what another site has sent. */
export async function findSignedIn(
  deps: AuthenticateDeps,
  request: Request,
  ctx: OutsideSystemCtx,
): Promise<PersonActor | undefined> {
  refuseCrossSite(deps, request)
  const { actor } = await visitorOf(deps, request, ctx)
  return actor.kind === 'person' ? actor : undefined
}

interface Shown {
  readonly credential: 'token' | 'session'
  readonly secret: string
  readonly hash: string
}

/** What a request shows. One that brings a token where none is taken shows nothing, whatever its cookies are. */
function credentialIn(
  deps: AuthenticateDeps,
  { authorization, cookie }: Request['headers'],
  acceptsTokens: boolean,
): Shown | undefined {
  const isToken = authorization !== undefined
  if (isToken && !acceptsTokens) return undefined
  const secret = isToken ? bearerIn(authorization) : sessionSecretOf(cookie, deps.cookie)
  return secret === undefined
    ? undefined
    : { credential: isToken ? 'token' : 'session', secret, hash: digestOf(secret) }
}

const bearerIn = (authorization: string): string | undefined => /^bearer ([^\s]+)$/i.exec(authorization)?.[1]

const keyOf = ({ credential, hash }: Shown): string => `${credential}:${hash}`

const dayMs = 86_400_000
const dayOf = (ctx: OutsideSystemCtx): number => Math.floor(ctx.now().getTime() / dayMs)

function recall(
  { remembered }: AuthenticateDeps,
  ctx: OutsideSystemCtx,
  shown: Shown,
): RememberedCaller | undefined {
  const known = remembered.find(keyOf(shown))
  return known?.day === dayOf(ctx) ? known : undefined
}

async function admitAnew(
  deps: AuthenticateDeps,
  spec: AnyRoute,
  request: Request,
  ctx: OutsideSystemCtx,
  shown: Shown,
): Promise<CtxOfCaller> {
  const caller = await lookUp(deps, ctx, shown)
  if (!caller) throw notAuthenticated()
  // Read for this very request, so there is nothing to check again.
  return admit(deps, spec, request, ctx, caller, undefined)
}

async function lookUp(
  { remembered, lookups }: AuthenticateDeps,
  ctx: OutsideSystemCtx,
  shown: Shown,
): Promise<RememberedCaller | undefined> {
  const { credential, hash, secret } = shown
  if (credential === 'token' && !isToken(secret)) return undefined
  const key = keyOf(shown)
  remembered.forget(key)
  lookups.inc({ credential })
  const row = await (credential === 'token' ? findCallerByToken(ctx, hash) : findCallerBySession(ctx, hash))
  if (!row) return undefined
  const caller = { row, actor: actorOf(row, credential), pass: passOf(row), day: dayOf(ctx) }
  if (caller.pass) remembered.remember(key, caller)
  if (row.is_new_today) {
    // The day of the last use is a courtesy; no request waits for it or fails with it.
    updateLastUsed(ctx, credential, hash).catch((error) =>
      ctx.log.warn({ error }, 'could not record the last use of a credential'),
    )
  }
  return caller
}

const pathBrandOf = ({ params }: Request): string | undefined =>
  (params as { brand_id?: string } | undefined)?.brand_id

/** A session may be switched in another tab at any moment; a page says what workspace it shows, and gets nothing of another. */
function refusalFor({ auth }: AnyRoute, row: CallerRow, request: Request): Refusal | undefined {
  const meant = request.headers['x-expected-brand']
  if (meant !== undefined && String(meant) !== String(row.brand_id)) return otherBrand()
  return refusalOfCaller(auth, row, pathBrandOf(request))
}

function admit(
  deps: AuthenticateDeps,
  spec: AnyRoute,
  request: Request,
  ctx: OutsideSystemCtx,
  { row, actor }: RememberedCaller,
  pass: Pass | undefined,
): CtxOfCaller {
  const { auth } = spec
  if (actor.credential === 'session') refuseCrossSite(deps, request)
  // C27: an admin session is one wherever admins are taken, also while it is in a workspace.
  if (row.is_staff && takesAdmins(auth)) return ctx.as(actor)
  const refused = refusalFor(spec, row, request)
  if (refused) throw refused
  if (auth.kind === 'platform_admin') throw platformAdminRequired()
  if (auth.kind === 'person' || row.brand_id === null) return ctx.as(actor)
  return ctx.forBrand(row.brand_id, pass ? { actor, pass } : { actor })
}

/** Nothing of a caller without a workspace is remembered: no transaction would check it. */
function passOf({
  epoch,
  expires_at: until,
  session_version: version,
  credential_id,
}: CallerRow): Pass | undefined {
  if (epoch === null) return undefined
  return { epoch, until, session: version === null ? null : { id: Number(credential_id), version } }
}

function actorOf(row: CallerRow, credential: 'token' | 'session'): PersonActor {
  const { person_id, name, is_staff, is_verified, credential_id, expires_at, brand_id, role } = row
  return {
    kind: 'person',
    person_id,
    name,
    is_staff,
    is_verified,
    credential,
    credential_id,
    expires_at,
    brand_id,
    role,
    scopes: row.scopes && effectiveScopes(row.scopes, row.ceiling ?? []),
    agent: row.agent,
    agent_id: row.agent_id,
  }
}

function refuseCrossSite({ own_origin }: AuthenticateDeps, { method, headers }: Request): void {
  const site = headers['sec-fetch-site']
  const facts = {
    method,
    origin: headers.origin,
    fetch_site: site === undefined ? undefined : String(site),
    host: headers.host,
  }
  if (isCrossSite(facts, own_origin)) throw crossSite()
}
