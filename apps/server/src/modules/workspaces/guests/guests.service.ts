import { type Guest, guestNotFound } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyMember, type Invitation } from '@crewhall/contracts/workspaces/invitations.ts'
import { findMembership, type LetterLimits, listMembersAmong, listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { invite, revokeInvitationOf } from '../invitations/invitations.service.ts'
import type { GuestAccess } from '../workspaces.ports.ts'
import { endAccess, listAccess } from './guest-access.service.ts'
import { deriveGuests, deriveRemoved } from './guests.rules.ts'
import * as store from './guests.store.ts'

export interface GuestDeps {
  readonly guest_access: readonly GuestAccess[]
  readonly limits: LetterLimits
}

export async function listAllGuests(ctx: BrandCtx, { guest_access }: GuestDeps): Promise<Guest[]> {
  const grants = await listAccess(ctx, guest_access)
  const ids = [...new Set(grants.map(({ person_id }) => person_id))]
  // Members after grants: a guest who accepts an invitation meanwhile is omitted, not listed as both.
  const members = new Set(await listMembersAmong(ctx, ids))
  return deriveGuests(grants, await listPeople(ctx, ids), members)
}

/** GST-14: the guest keeps all access until they accept. */
export const inviteGuest = (
  ctx: BrandCtx,
  { guest_access, limits }: GuestDeps,
  user_id: number,
): Promise<Invitation> =>
  ctx.tx(async (ctx) => {
    await store.lockGuests(ctx)
    // GST-15: before the lookup of the guest, because members are not guests.
    if (await findMembership(ctx, user_id)) throw alreadyMember()
    if ((await accessOf(ctx, guest_access, user_id)).length === 0) throw guestNotFound()
    const { email } = await getPerson(ctx, user_id)
    const invitation = await invite(ctx, limits, { email, role: 'member' })
    await ctx.audit({
      action: 'guest.invited',
      target: `guest:${user_id}`,
      from: null,
      to: { invitation_id: invitation.id },
    })
    return invitation
  })

/**
 * GST-G7: first records what will be removed, then removes everything in one transaction. An external store may have
 * removed its part although that fails; the next attempt then knows of it from the record.
 */
export async function removeGuest(ctx: BrandCtx, { guest_access }: GuestDeps, user_id: number) {
  await ctx.tx(async (ctx) => {
    await store.lockGuests(ctx)
    if (await findMembership(ctx, user_id)) throw guestNotFound()
    const access = await accessOf(ctx, guest_access, user_id)
    const noted = await store.countNoted(ctx, user_id)
    if (access.length === 0 && noted.length === 0) throw guestNotFound()
    await store.insertNoted(ctx, user_id, access)
  })
  return ctx.tx(async (ctx) => {
    await store.lockGuests(ctx)
    const noted = await store.countNoted(ctx, user_id)
    const counts = deriveRemoved(noted, await endAccess(ctx, guest_access, user_id))
    // Another call has finished this removal while this one waited, or the guest has become a member.
    const isDone = counts.boards_removed + counts.docs_removed === 0
    if (isDone || (await findMembership(ctx, user_id))) throw guestNotFound()
    await store.deleteNoted(ctx, user_id)
    // GST-G8: a removed guest cannot come back with an earlier invitation.
    await revokeInvitationOf(ctx, (await getPerson(ctx, user_id)).email)
    await ctx.audit({ action: 'guest.removed', target: `guest:${user_id}`, from: counts, to: null })
    return { success: true as const, ...counts }
  })
}

const accessOf = async (ctx: BrandTx, providers: readonly GuestAccess[], user_id: number) =>
  (await listAccess(ctx, providers)).filter(({ person_id }) => person_id === user_id)

async function getPerson(ctx: BrandTx, user_id: number) {
  const [person] = await listPeople(ctx, [user_id])
  if (!person) throw guestNotFound()
  return person
}
