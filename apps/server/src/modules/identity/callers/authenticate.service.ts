import { crossSite, notAuthenticated, platformAdminRequired } from '@crewhall/contracts/identity/refusals.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Authenticator, Request } from '#platform/http/handle.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { digestOf } from '../secrets.ts'
import { type CookieOptions, sessionSecretOf } from '../sessions/session-cookie.ts'
import { isToken } from '../tokens/token-format.ts'
import { effectiveScopes, refusalOfCaller } from './access.rules.ts'
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
}

/** Looked up once a day at least, so that the day of the last use is right. */
interface RememberedCaller extends CallerRow {
  readonly day: number
}

interface Found {
  readonly caller: CallerRow
  readonly credential: 'token' | 'session'
  /** Read for this very request, so there is nothing to check again. */
  readonly fresh: boolean
}

export const createAuthenticator = (deps: AuthenticateDeps): Authenticator => ({
  knows({ headers }) {
    const { authorization, cookie } = headers
    const [credential, secret] =
      authorization === undefined
        ? (['session', sessionSecretOf(cookie, deps.cookie)] as const)
        : (['token', tokenIn(authorization)] as const)
    return secret !== undefined && deps.remembered.find(`${credential}:${digestOf(secret)}`) !== undefined
  },
  async authenticate(spec, request, ctx, fresh) {
    const { auth } = spec
    if (auth.kind === 'nobody') {
      refuseCrossSite(deps, request)
      const visitor = auth.session ? await findCaller(deps, spec, request, ctx, true) : undefined
      return visitor ? ctx.as(actorOf(visitor.caller, visitor.credential)) : ctx
    }
    const key = request.headers['x-admin-key']
    if (auth.kind === 'platform_admin' && key !== undefined) {
      // AUTH-G3: a key that is present and wrong is never a reason to look at another credential.
      if (!isAdminKey(deps.admin_keys, String(key))) throw notAuthenticated()
      return ctx.as({ kind: 'admin_key' })
    }
    let found = await findCaller(deps, spec, request, ctx, fresh)
    // What was remembered lets nobody in unchecked, and must not keep anybody out unchecked either.
    if (found && !found.fresh && refusalOfCaller(auth, found.caller, pathBrandOf(request))) {
      found = await findCaller(deps, spec, request, ctx, true)
    }
    if (!found) throw notAuthenticated()
    if (found.credential === 'session') refuseCrossSite(deps, request)
    return admit(spec, request, ctx, found)
  },
})

async function findCaller(
  deps: AuthenticateDeps,
  { auth }: AnyRoute,
  request: Request,
  ctx: OutsideSystemCtx,
  fresh: boolean,
): Promise<Found | undefined> {
  const { authorization } = request.headers
  const acceptsTokens = auth.kind === 'token' || (auth.kind === 'person' && auth.credential === 'any')
  // Only what a brand's transaction will check again may come from memory.
  const mayRemember = auth.kind === 'token' || auth.kind === 'session'
  if (authorization !== undefined) {
    const token = acceptsTokens ? tokenIn(authorization) : undefined
    if (token === undefined) return undefined
    return lookUp(deps, ctx, { credential: 'token', hash: digestOf(token), remember: mayRemember, fresh })
  }
  const secret = sessionSecretOf(request.headers.cookie, deps.cookie)
  if (secret === undefined) return undefined
  return lookUp(deps, ctx, { credential: 'session', hash: digestOf(secret), remember: mayRemember, fresh })
}

function tokenIn(authorization: string): string | undefined {
  const [, token = ''] = /^bearer ([^\s]+)$/i.exec(authorization) ?? []
  return isToken(token) ? token : undefined
}

const dayMs = 86_400_000

interface Wanted {
  readonly credential: 'token' | 'session'
  readonly hash: string
  readonly remember: boolean
  readonly fresh: boolean
}

async function lookUp(
  { remembered, lookups }: AuthenticateDeps,
  ctx: OutsideSystemCtx,
  wanted: Wanted,
): Promise<Found | undefined> {
  const { credential, hash } = wanted
  const key = `${credential}:${hash}`
  if (wanted.fresh) remembered.forget(key)
  const day = Math.floor(ctx.now().getTime() / dayMs)
  const known = wanted.remember && !wanted.fresh ? remembered.find(key) : undefined
  if (known?.day === day) return { caller: known, credential, fresh: false }
  lookups.inc({ credential })
  const caller = await (credential === 'token'
    ? findCallerByToken(ctx, hash)
    : findCallerBySession(ctx, hash))
  if (!caller) return undefined
  if (caller.epoch !== null) remembered.remember(key, { ...caller, day })
  if (caller.is_new_today) {
    // The day of the last use is a courtesy; no request waits for it or fails with it.
    updateLastUsed(ctx, credential, hash).catch((error) =>
      ctx.log.warn({ error }, 'could not record the last use of a credential'),
    )
  }
  return { caller, credential, fresh: true }
}

const pathBrandOf = ({ params }: Request): string | undefined =>
  (params as { brand_id?: string } | undefined)?.brand_id

function admit(
  spec: AnyRoute,
  request: Request,
  ctx: OutsideSystemCtx,
  found: Found,
): OutsideSystemCtx | OutsideBrandCtx {
  const { caller, credential } = found
  const refused = refusalOfCaller(spec.auth, caller, pathBrandOf(request))
  if (refused) throw refused
  const actor = actorOf(caller, credential)
  if (spec.auth.kind === 'platform_admin' && !caller.is_staff) throw platformAdminRequired()
  if (spec.auth.kind === 'platform_admin' || spec.auth.kind === 'person' || caller.brand_id === null) {
    return ctx.as(actor)
  }
  if (found.fresh || caller.epoch === null) return ctx.forBrand(caller.brand_id, { actor })
  const { epoch, expires_at: until, session_version: version } = caller
  const session = version === null ? null : { id: Number(caller.credential_id), version }
  return ctx.forBrand(caller.brand_id, { actor, pass: { epoch, until, session } })
}

function actorOf(caller: CallerRow, credential: 'token' | 'session'): PersonActor {
  const {
    person_id,
    name,
    is_staff,
    is_verified,
    credential_id,
    expires_at,
    brand_id,
    role,
    scopes,
    ceiling,
    agent,
  } = caller
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
    scopes: scopes && effectiveScopes(scopes, ceiling ?? []),
    agent,
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
