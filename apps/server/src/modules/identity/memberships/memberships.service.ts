import { adminRequired, lastAdminDemoted, lastAdminRemoved } from '@crewhall/contracts/identity/refusals.ts'
import { memberNotFound } from '@crewhall/contracts/workspaces/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './memberships.store.ts'

export interface MembershipFacts {
  readonly person_id: number
  readonly full_name: string
  readonly email: string
  readonly role: 'admin' | 'member'
  readonly joined_at: string
}

/** The active membership of that person here; nothing for guests, former members and strangers. */
export const findMembership = (ctx: BrandCtx, person_id: number): Promise<MembershipFacts | undefined> =>
  store.findActive(ctx, person_id)

/** MBR-10: one refusal for everyone who is not an active member, from one statement. */
export async function getMembership(ctx: BrandCtx, person_id: number): Promise<MembershipFacts> {
  const found = await store.findActive(ctx, person_id)
  if (!found) throw memberNotFound()
  return found
}

/** An active member with what it takes to write to them. */
export const findMailedMember = (ctx: BrandCtx, person_id: number): Promise<store.MailedRow | undefined> =>
  store.findMailed(ctx, person_id)

/** Which of these people are active members. */
export const listMembersAmong = (ctx: BrandCtx, ids: readonly number[]): Promise<number[]> =>
  store.listActiveAmong(ctx, ids)

/** For writes about a member: a removal waits for the commit. */
export async function holdMembership(ctx: BrandTx, person_id: number): Promise<void> {
  if ((await store.lockActive(ctx, person_id)) === 0) throw memberNotFound()
}

interface Slice {
  readonly q: string | null
  readonly limit: number
  readonly offset: number
}

export async function listMemberships(
  ctx: BrandCtx,
  slice: Slice,
): Promise<{ members: MembershipFacts[]; total: number }> {
  return { members: await store.listActive(ctx, slice), total: await store.countActive(ctx, slice.q) }
}

/** MBR-08, MBR-09: returns the old role. The brand keeps at least one admin, even with concurrent changes. */
export async function changeRole(
  ctx: BrandTx,
  person_id: number,
  role: 'admin' | 'member',
): Promise<'admin' | 'member'> {
  const admins = await lockAdminsFor(ctx)
  const { role: old } = await getMembership(ctx, person_id)
  if (old === role) return old
  if (role === 'member' && isLast(admins, person_id)) throw lastAdminDemoted()
  if ((await store.updateRole(ctx, person_id, role)) === 0) throw memberNotFound()
  return old
}

/** Tokens end and sessions lose the brand in the same commit, so the next request is refused. */
export async function endMembership(ctx: BrandTx, person_id: number): Promise<MembershipFacts> {
  const admins = await lockAdminsFor(ctx)
  const member = await getMembership(ctx, person_id)
  if (isLast(admins, person_id)) throw lastAdminRemoved()
  if ((await store.updateRemoved(ctx, person_id)) === 0) throw memberNotFound()
  await store.updateTokensRevoked(ctx, person_id)
  await store.updateSessionsLeft(ctx, person_id)
  return member
}

/** A new member, or a former one again. The row of the person is locked, as it is while a password is set. */
export async function joinBrand(
  ctx: BrandTx,
  person_id: number,
  role: 'admin' | 'member',
): Promise<MembershipFacts & { readonly is_new: boolean }> {
  const added = await store.insertOrReturn(ctx, person_id, role)
  return { ...(await getMembership(ctx, person_id)), is_new: added > 0 }
}

/** MBR-G3: only active members with the role count. */
const isLast = (admins: readonly number[], person_id: number): boolean =>
  admins.length === 1 && admins[0] === person_id

async function lockAdminsFor(ctx: BrandTx): Promise<number[]> {
  const admins = await store.lockAdmins(ctx)
  // A caller who lost this right while waiting for the lock must not use it.
  if (ctx.actor.kind === 'person' && !admins.includes(ctx.actor.person_id)) throw adminRequired()
  return admins
}
