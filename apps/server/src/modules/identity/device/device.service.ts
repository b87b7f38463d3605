import { randomUUID } from 'node:crypto'
import { type DeviceRequest, formatUserCode } from '@crewhall/contracts/identity/device.ts'
import { deviceCodeMinutes } from '@crewhall/contracts/identity/lifetimes.ts'
import {
  brandNotFound,
  deviceCodeUnknown,
  notAuthenticated,
  noWorkspace,
  scopeOutsideCeiling,
  tooManyAttempts,
  tooManyDeviceCodes,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Scope } from '@crewhall/contracts/scopes.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { deriveClient } from '../devices/client.rules.ts'
import type { SignInFrom } from '../devices/devices.service.ts'
import { tellOfDevice } from '../letters/account-letters.service.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { digestOf, newSecret, newUserCode } from '../secrets.ts'
import { signedIn } from '../sessions/own-sessions.service.ts'
import { findMembership, updateTries, updateTriesBack } from '../sessions/sessions.store.ts'
import { tryMinutes } from '../sessions/sign-in-limits.service.ts'
import { findCeiling } from '../tokens/tokens.store.ts'
import { presentDeviceRequest } from './device.present.ts'
import * as store from './device.store.ts'

export interface DeviceDeps {
  readonly public_url: string
  readonly tries_per_address: number
}

const firstInterval = 5
/** For a network, while a code is valid: so many can wait from there. */
const codesPerNetwork = 50
/** On the whole installation. */
const maxWaiting = 10_000
/** How long a program has to fetch what was approved: more than the longest interval. */
const fetchSeconds = 120
const wrongCodes = 5

interface Asked {
  readonly host?: string | undefined
  readonly scopes?: readonly Scope[] | undefined
}

export async function startDevice(
  ctx: SystemCtx,
  { public_url }: DeviceDeps,
  { network, user_agent }: SignInFrom,
  { host, scopes }: Asked,
) {
  if (!(await updateTries(ctx, `device-code:${network}`, codesPerNetwork, deviceCodeMinutes)))
    throw tooManyAttempts()
  if ((await store.countWaiting(ctx, maxWaiting)) >= maxWaiting) throw tooManyDeviceCodes()
  const device_code = newSecret()
  const made = {
    id: randomUUID(),
    device_digest: digestOf(device_code),
    host: host ?? null,
    client: deriveClient(user_agent),
    network,
    scopes: scopes ? [...new Set(scopes)] : null,
    interval_seconds: firstInterval,
    minutes: deviceCodeMinutes,
  }
  let user_code = newUserCode()
  while (!(await store.insertDeviceCode(ctx, { ...made, user_digest: digestOf(user_code) })))
    user_code = newUserCode()
  const verification_uri = `${public_url}/dashboard/device`
  const shown = formatUserCode(user_code)
  return {
    device_code,
    user_code: shown,
    verification_uri,
    verification_uri_complete: `${verification_uri}?user_code=${shown}`,
    expires_in: deviceCodeMinutes * 60,
    interval: firstInterval,
  }
}

/** Counts a try before it is made, so that guesses at the same time cannot slip past the limit together. */
async function findWaiting(
  ctx: SystemCtx,
  { tries_per_address }: DeviceDeps,
  network: string,
  user_code: string,
): Promise<store.DeviceCodeRow> {
  const { person_id } = signedIn(ctx)
  const [byNetwork, byPerson] = [`device-try:${network}`, `device-try:person:${person_id}`]
  // The network too: whoever guesses can sign up as often as they like.
  if (!(await updateTries(ctx, byNetwork, tries_per_address, tryMinutes))) throw tooManyAttempts()
  if (!(await updateTries(ctx, byPerson, wrongCodes, tryMinutes))) throw tooManyAttempts()
  const found = await store.findWaitingCode(ctx, digestOf(user_code))
  if (!found) throw deviceCodeUnknown()
  await Promise.all([updateTriesBack(ctx, byNetwork), updateTriesBack(ctx, byPerson)])
  return found
}

export async function showDevice(
  ctx: SystemCtx,
  deps: DeviceDeps,
  network: string,
  user_code: string,
): Promise<DeviceRequest> {
  return presentDeviceRequest(await findWaiting(ctx, deps, network, user_code), user_code, network)
}

interface Decision {
  readonly user_code: string
  readonly decision: 'approve' | 'deny'
  readonly brand_id?: number | undefined
}

export async function decideDevice(
  ctx: SystemCtx,
  deps: DeviceDeps,
  network: string,
  { user_code, decision, brand_id }: Decision,
): Promise<'approved' | 'denied'> {
  const { person_id, session_id } = signedIn(ctx)
  const found = await findWaiting(ctx, deps, network, user_code)
  const { id, scopes } = found
  const asked = scopes === null ? { credential: 'session' } : { credential: 'token', scopes }
  if (decision === 'deny') {
    await ctx.tx(async (ctx) => {
      if (!(await store.updateDenied(ctx, id))) throw deviceCodeUnknown()
      await notePlatform(ctx, { action: 'device.denied', person_id, to: asked })
    })
    return 'denied'
  }
  const brand = await brandFor(ctx, found, brand_id)
  await ctx.tx(async (ctx) => {
    if (!(await store.lockSession(ctx, session_id))) throw notAuthenticated()
    const approved = { id, session_id, brand_id: brand, seconds: fetchSeconds }
    if (!(await store.updateApproved(ctx, approved))) throw deviceCodeUnknown()
    await notePlatform(ctx, { action: 'device.approved', person_id, to: asked })
    await tellOfDevice(ctx, person_id, id)
  })
  return 'approved'
}

/** The workspace that the program will act for. A token has to have one, and no scope beyond what that allows. */
async function brandFor(
  ctx: SystemCtx,
  { scopes }: store.DeviceCodeRow,
  chosen: number | undefined,
): Promise<number | null> {
  const { actor } = ctx
  if (actor.kind !== 'person') throw notAuthenticated()
  const brand_id = chosen ?? actor.brand_id
  if (brand_id === null) {
    if (scopes !== null) throw noWorkspace()
    return null
  }
  const membership = await findMembership(ctx.overBrands(), actor.person_id, brand_id)
  // Missing, foreign and left behind: one answer from one statement.
  if (!membership) throw brandNotFound()
  if (scopes !== null) {
    const ceiling = await findCeiling(ctx.forBrand(membership.brand_id))
    const outside = scopes.filter((scope) => !ceiling.includes(scope))
    if (outside.length > 0) throw scopeOutsideCeiling(outside)
  }
  return membership.brand_id
}
