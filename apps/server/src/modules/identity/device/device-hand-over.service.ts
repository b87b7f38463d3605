import type { DeviceCredential } from '@crewhall/contracts/identity/device.ts'
import { sessionDays } from '@crewhall/contracts/identity/lifetimes.ts'
import { maxSessions } from '@crewhall/contracts/identity/own-sessions.ts'
import * as refused from '@crewhall/contracts/identity/refusals.ts'
import { scopes as knownScopes } from '@crewhall/contracts/scopes.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { originOf, type SignInFrom } from '../devices/devices.service.ts'
import { lockPerson } from '../passwords/passwords.store.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { digestOf, newSecret } from '../secrets.ts'
import { type CookieOptions, cookieNameOf } from '../sessions/session-cookie.ts'
import {
  findMembership,
  findPerson,
  insertSession,
  type MembershipRow,
  updateTries,
} from '../sessions/sessions.store.ts'
import { tryMinutes } from '../sessions/sign-in-limits.service.ts'
import { issueToken } from '../tokens/tokens.service.ts'
import { nextInterval, nextOfPoll } from './device.rules.ts'
import * as store from './device.store.ts'

export interface HandOverDeps {
  readonly cookie: CookieOptions
  readonly tries_per_address: number
}

/** What a program is told that asks for what a person has decided. */
export async function pollDevice(
  ctx: SystemCtx,
  deps: HandOverDeps,
  from: SignInFrom,
  device_code: string,
): Promise<DeviceCredential> {
  const digest = digestOf(device_code)
  if (!(await store.findByDevice(ctx, digest))) {
    // Nobody guesses 256 bits; this is for whoever tries.
    const key = `device-poll:${from.network}`
    if (!(await updateTries(ctx, key, deps.tries_per_address, tryMinutes))) throw refused.tooManyAttempts()
    throw refused.deviceCodeExpired()
  }
  const approved = await poll(ctx, digest)
  const { person_id, brand_id, scopes } = approved
  if (person_id === null) throw refused.deviceCodeExpired()
  const membership =
    brand_id === null ? undefined : await findMembership(ctx.overBrands(), person_id, brand_id)
  if (scopes === null) return handOverSession(ctx, deps, from, { digest, person_id, membership })
  // Somebody has removed them since they approved it.
  if (!membership) throw refused.deviceDenied()
  return handOverToken(ctx, digest, { ...approved, person_id, scopes }, membership)
}

/** Returns what was approved. Whatever a poll changes has to be kept, so it is refused afterwards. */
async function poll(ctx: SystemCtx, digest: string): Promise<store.DeviceCodeRow> {
  const [row, next] = await ctx.tx(async (ctx) => {
    const row = await store.lockDeviceCode(ctx, digest)
    if (!row) throw refused.deviceCodeExpired()
    const next = nextOfPoll(row)
    const { id, interval_seconds } = row
    if (next === 'wait') await store.updatePolled(ctx, id, interval_seconds)
    if (next === 'slow_down') await store.updatePolled(ctx, id, nextInterval(interval_seconds))
    // Whoever approves it at this moment is told the same.
    if (next === 'expired' && row.status === 'pending') await store.updateStatus(ctx, id, 'expired')
    return [row, next] as const
  })
  if (next === 'hand_over') return row
  if (next === 'wait') throw refused.authorizationPending()
  if (next === 'slow_down') throw refused.slowDown(nextInterval(row.interval_seconds))
  throw next === 'denied' ? refused.deviceDenied() : refused.deviceCodeExpired()
}

/**
 * Takes what was approved, once. The person first, as for everything that ends their sessions: what ends at the same moment
 * either takes the approval with it, or finds what it has become.
 */
async function take(ctx: SystemTx | BrandTx, digest: string, person_id: number): Promise<void> {
  await lockPerson(ctx, person_id)
  const row = await store.lockDeviceCode(ctx, digest)
  if (!row || nextOfPoll(row) !== 'hand_over') throw refused.deviceCodeExpired()
  await store.updateStatus(ctx, row.id, 'redeemed')
}

interface ForSession {
  readonly digest: string
  readonly person_id: number
  readonly membership: MembershipRow | undefined
}

async function handOverSession(
  ctx: SystemCtx,
  { cookie }: HandOverDeps,
  from: SignInFrom,
  { digest, person_id, membership }: ForSession,
): Promise<DeviceCredential> {
  const access_token = newSecret()
  const brand_id = membership?.brand_id ?? null
  const made = {
    token_hash: digestOf(access_token),
    person_id,
    brand_id,
    days: sessionDays,
    ...originOf(from),
  }
  const session = await ctx.tx(async (ctx) => {
    await take(ctx, digest, person_id)
    await notePlatform(ctx, { action: 'session.started', person_id, is_own: true, to: { by: 'device' } })
    return insertSession(ctx, made, maxSessions)
  })
  if (!session) throw refused.deviceCodeExpired()
  const { expires_at } = session
  return {
    token_type: 'Cookie',
    access_token,
    cookie_name: cookieNameOf(cookie),
    expires_at,
    scopes: null,
    brand_id,
  }
}

type ApprovedToken = store.DeviceCodeRow & { readonly person_id: number; readonly scopes: readonly string[] }

async function handOverToken(
  ctx: SystemCtx,
  digest: string,
  approved: ApprovedToken,
  { brand_id, role }: MembershipRow,
): Promise<DeviceCredential> {
  const { person_id, session_id, host, expires_at } = approved
  const person = await findPerson(ctx, person_id)
  if (!person) throw refused.deviceCodeExpired()
  // As the session that approved it: neither the workspace nor its policy may have changed since.
  const actor: PersonActor = {
    kind: 'person',
    person_id,
    name: person.full_name,
    is_staff: false,
    is_verified: person.email_verified,
    credential: 'session',
    credential_id: String(session_id),
    expires_at,
    brand_id,
    role,
    scopes: null,
    agent: null,
    agent_id: null,
  }
  const scopes = knownScopes.filter((scope) => approved.scopes.includes(scope))
  const name = host === null ? 'Command line' : `Command line on ${host}`
  const made = await ctx.forBrand(brand_id, { actor }).tx(async (ctx) => {
    await take(ctx, digest, person_id)
    return issueToken(ctx, { name, scopes })
  })
  return {
    token_type: 'Bearer',
    access_token: made.token,
    cookie_name: null,
    expires_at: made.expires_at,
    scopes: made.scopes,
    brand_id,
  }
}
