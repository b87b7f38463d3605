import { foldAddress } from '@crewhall/contracts/folding.ts'
import { sessionDays } from '@crewhall/contracts/identity/lifetimes.ts'
import { maxSessions } from '@crewhall/contracts/identity/own-sessions.ts'
import {
  brandNotFound,
  notAuthenticated,
  resetLinkDead,
  tooManyAttempts,
  wrongPassword,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Me } from '@crewhall/contracts/identity/sessions.ts'
import { defaultCeiling } from '@crewhall/contracts/scopes.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { noteDevice, originOf, type SignInFrom } from '../devices/devices.service.ts'
import { askForProof, takeOver } from '../email-proofs/email-proofs.service.ts'
import type { NewPerson } from '../identity.ports.ts'
import { tellOfPassword, tellOfSignIn } from '../letters/account-letters.service.ts'
import { hashPassword, isPassword } from '../passwords/password-hash.ts'
import { lockPerson } from '../passwords/passwords.store.ts'
import { resetLetter } from '../passwords/reset-mail.ts'
import { createPerson } from '../people/new-people.service.ts'
import { noteLater, notePlatform } from '../platform-audit/platform-audit.service.ts'
import { digestOf, newSecret } from '../secrets.ts'
import { revokeAllTokens } from '../tokens/person-tokens.service.ts'
import { type CookieOptions, cookieFor } from './session-cookie.ts'
import { presentMe } from './sessions.present.ts'
import * as store from './sessions.store.ts'
import { admitSignIn, noteFailure, type TryLimits, tryMinutes } from './sign-in-limits.service.ts'
import { refusalOfSignUp, type SignUpPolicy } from './sign-up.rules.ts'

export interface SessionDeps extends TryLimits {
  readonly mail: Mail
  readonly cookie: CookieOptions
  readonly public_url: string
  readonly service_name: string
  /** Verified when the address is unknown, so that both cases take the same time. */
  readonly dummy_hash: string
  readonly new_people: readonly NewPerson[]
  readonly policy: SignUpPolicy
}

/** A session and the cookie that carries its secret. */
export interface Started {
  readonly set_cookie: string
  readonly me: Me
}

const resetMinutes = 60
const resetsPerEmail = 10
const startingPlan = 'free'

interface SignUp {
  readonly email: string
  readonly password: string
  readonly full_name: string
  readonly brand_name: string
}

/** Sign-up creates a workspace, of which the new person is the admin. */
export async function signUpPerson(
  ctx: SystemCtx,
  deps: SessionDeps,
  from: SignInFrom,
  input: SignUp,
): Promise<Started> {
  const refused = refusalOfSignUp(deps.policy, input.email)
  if (refused) throw refused
  const allowed = await store.updateTries(ctx, `sign-up:${from.network}`, deps.tries_per_address, tryMinutes)
  if (!allowed) throw tooManyAttempts()
  const hash = await hashPassword(input.password)
  const person_id = await ctx.overBrands().tx(async (ctx) => {
    const id = await createPerson(ctx, deps.new_people, input)
    await store.updatePassword(ctx, id, hash)
    await askForProof(ctx, id)
    const brand_id = await store.insertBrand(ctx, input.brand_name, startingPlan, defaultCeiling)
    await store.insertMembership(ctx, brand_id, id, 'admin')
    const to = { name: input.brand_name, plan_key: startingPlan, admin_id: id }
    await ctx.audit(brand_id, { action: 'brand.created', target: `brand:${brand_id}`, from: null, to })
    return id
  })
  return startSession(ctx, deps, person_id, from)
}

export async function signInPerson(
  ctx: SystemCtx,
  deps: SessionDeps,
  from: SignInFrom,
  input: { email: string; password: string },
): Promise<Started> {
  const { network } = from
  const email = foldAddress(input.email)
  const admitted = await admitSignIn(ctx, deps, network, email)
  const found = await store.findPasswordByEmail(ctx, email)
  const isRight = await isPassword(input.password, found?.password_hash ?? deps.dummy_hash)
  if (!found || !isRight) {
    noteFailure(ctx, { person_id: found?.person_id, network }, admitted.count)
    throw wrongPassword()
  }
  await admitted.forgive()
  return startSession(ctx, deps, found.person_id, from)
}

async function startSession(
  ctx: SystemCtx,
  { cookie }: SessionDeps,
  person_id: number,
  from: SignInFrom,
): Promise<Started> {
  const secret = newSecret()
  const all = ctx.overBrands()
  const [person, memberships] = await Promise.all([
    store.findPerson(ctx, person_id),
    store.listMemberships(all, person_id),
  ])
  const first = memberships[0]
  const brand_id = first?.brand_id ?? null
  const origin = originOf(from)
  const made = { token_hash: digestOf(secret), person_id, brand_id, days: sessionDays, ...origin }
  const session = await ctx.tx(async (ctx) => {
    await notePlatform(ctx, { action: 'session.started', person_id, is_own: true })
    const isNew = await noteDevice(ctx, person_id, origin)
    const session = await store.insertSession(ctx, made, maxSessions)
    if (isNew && session) await tellOfSignIn(ctx, person_id, session.id)
    return session
  })
  if (!person || !session) throw notAuthenticated()
  const actor: PersonActor = {
    kind: 'person',
    person_id,
    name: person.full_name,
    is_staff: person.is_staff,
    is_verified: person.email_verified,
    credential: 'session',
    credential_id: String(session.id),
    expires_at: session.expires_at,
    brand_id,
    role: first?.role ?? null,
    scopes: null,
    agent: null,
    agent_id: null,
  }
  return {
    set_cookie: cookieFor(cookie, secret, sessionDays * 86_400),
    me: presentMe(actor, person, memberships),
  }
}

/** Returns the cookie that removes the old one. */
export async function signOutPerson(ctx: SystemCtx, { cookie }: SessionDeps): Promise<string> {
  const { person_id, credential_id } = personOf(ctx)
  await ctx.tx(async (ctx) => {
    await store.deleteSession(ctx, Number(credential_id))
    await notePlatform(ctx, { action: 'session.ended', person_id })
  })
  return cookieFor(cookie, '', 0)
}

export async function getMyself(ctx: SystemCtx): Promise<Me> {
  const actor = personOf(ctx)
  const person = await store.findPerson(ctx, actor.person_id)
  if (!person) throw notAuthenticated()
  return presentMe(actor, person, await store.listMemberships(ctx.overBrands(), actor.person_id))
}

export async function switchSessionBrand(ctx: SystemCtx, brand_id: number): Promise<Me> {
  const actor = personOf(ctx)
  const all = ctx.overBrands()
  const membership = await store.findMembership(all, actor.person_id, brand_id)
  // Missing, foreign and left behind: one answer from one statement.
  if (!membership) throw brandNotFound()
  await store.updateSessionBrand(all, Number(actor.credential_id), brand_id)
  return getMyself(ctx.as({ ...actor, brand_id, role: membership.role }))
}

/** The response is the same whether or not the address is known, and does not wait for the mail server. */
export async function requestPasswordReset(
  ctx: OutsideSystemCtx,
  deps: SessionDeps,
  network: string,
  given: string,
): Promise<void> {
  const email = foldAddress(given)
  const allowed = await store.updateTries(ctx, `reset:${network}`, deps.tries_per_address, tryMinutes)
  if (!allowed) throw tooManyAttempts()
  if (!(await store.updateTries(ctx, `reset:${digestOf(email)}`, resetsPerEmail, tryMinutes))) return
  const secret = newSecret()
  const found = await store.insertReset(ctx, { token_hash: digestOf(secret), email, minutes: resetMinutes })
  if (!found) return
  noteLater(ctx, { action: 'password.reset_requested', person_id: found.person_id })
  deps.mail
    .send(ctx, resetLetter({ email, full_name: found.full_name }, secret, deps))
    .catch((error) => ctx.log.warn({ error }, 'password reset e-mail not sent'))
}

interface Confirmed {
  readonly token: string
  readonly password: string
  readonly revoke_tokens?: boolean | undefined
}

/**
 * All sessions of the person end in the same commit: anyone who knew the old password is signed out. Access tokens do not
 * depend on a password and stay valid unless they are to be revoked too.
 */
export async function confirmPasswordReset(
  ctx: SystemCtx,
  { tries_per_address }: SessionDeps,
  network: string,
  { token, password, revoke_tokens = false }: Confirmed,
): Promise<void> {
  const key = `reset-confirm:${network}`
  if (!(await store.updateTries(ctx, key, tries_per_address, tryMinutes))) throw tooManyAttempts()
  // A made-up token costs a look, and no hash.
  const link = await store.findReset(ctx, digestOf(token))
  if (!link) throw resetLinkDead()
  const hash = await hashPassword(password)
  await ctx.overBrands().tx(async (ctx) => {
    await lockPerson(ctx, link.person_id)
    const used = await store.deleteReset(ctx, digestOf(token))
    if (!used) throw resetLinkDead()
    await store.updatePassword(ctx, used.person_id, hash)
    await takeOver(ctx, used.person_id)
    await store.deleteSessionsByPerson(ctx, used.person_id)
    await notePlatform(ctx, {
      action: 'password.reset',
      person_id: used.person_id,
      is_own: true,
      to: { revoke_tokens },
    })
    if (revoke_tokens) await revokeAllTokens(ctx, used.person_id)
    await tellOfPassword(ctx, used.person_id)
  })
  await store.updateTriesBack(ctx, key)
}

function personOf({ actor }: SystemCtx): PersonActor {
  if (actor.kind !== 'person') throw notAuthenticated()
  return actor
}
