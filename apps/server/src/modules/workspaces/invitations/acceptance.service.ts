import { signUpClosed } from '@crewhall/contracts/identity/refusals.ts'
import {
  accountNeeded,
  invitationDead,
  invitationOfAnother,
  signInToAccept,
} from '@crewhall/contracts/workspaces/invitations.ts'
import {
  findAccountByEmail,
  findMembership,
  hashOfPassword,
  joinBrand,
  listPeople,
  type NewPerson,
  noteVerifiedEmail,
  registerPerson,
} from '#modules/identity'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { NewEvent } from '#platform/events/workspace-event.ts'
import { endAccess } from '../guests/guest-access.service.ts'
import { lockGuests } from '../guests/guests.store.ts'
import type { GuestAccess } from '../workspaces.ports.ts'
import { hashOfToken } from './invitation-link.ts'
import * as store from './invitations.store.ts'

export interface AcceptanceDeps {
  readonly guest_access: readonly GuestAccess[]
  readonly new_people: readonly NewPerson[]
  readonly config: { readonly SIGN_UP: 'open' | 'invite' | 'off' }
}

interface Acceptance {
  readonly token: string
  readonly full_name?: string | undefined
  readonly password?: string | undefined
}

/** The person who joins: an existing account, or the data for a new one. */
type Joining =
  | { readonly person_id: number }
  | { readonly email: string; readonly full_name: string; readonly password_hash: string }

/** GST-G5: member, guest no more, link used and audit written in one commit. */
export async function acceptInvitation(ctx: SystemCtx, deps: AcceptanceDeps, input: Acceptance) {
  const token_hash = hashOfToken(input.token)
  const found = await store.findByLink(ctx, token_hash)
  if (!found) throw invitationDead()
  const joining = await whoJoins(ctx, deps, found.email, input)
  return ctx.forBrand(found.brand_id).tx(async (ctx) => {
    // Serialized with removals of guests, so that neither sees a half-done change.
    await lockGuests(ctx)
    const invitation = await store.updateAccepted(ctx, found.id, token_hash)
    if (!invitation || !(await isAnsweredFor(ctx, invitation.invited_by))) throw invitationDead()
    const user_id = await personOf(ctx, deps, joining)
    const { role, is_new } = await joinBrand(ctx, user_id, invitation.role)
    const ended = await endAccess(ctx, deps.guest_access, user_id)
    if (is_new) await ctx.emit(memberAdded(user_id, role))
    await ctx.audit({
      action: 'invitation.accepted',
      target: `invitation:${found.id}`,
      from: { guest_access: ended },
      to: { user_id, role },
    })
    return { brand_id: ctx.brandId, user_id, role }
  })
}

const memberAdded = (user_id: number, role: 'admin' | 'member'): NewEvent => ({
  type: 'member.added',
  subject_id: String(user_id),
  data: { user_id, role, via: 'invitation' },
})

/** Whether its sender, if any, is still allowed to invite. */
async function isAnsweredFor(ctx: BrandTx, invited_by: number | null): Promise<boolean> {
  return invited_by === null || (await findMembership(ctx, invited_by))?.role === 'admin'
}

/** Hashing is expensive, so check the link first. */
async function whoJoins(
  ctx: SystemCtx,
  { config }: AcceptanceDeps,
  email: string,
  input: Acceptance,
): Promise<Joining> {
  const { actor } = ctx
  if (actor.kind === 'person') {
    const [caller] = await listPeople(ctx, [actor.person_id])
    if (caller?.email !== email) throw invitationOfAnother()
    return { person_id: caller.id }
  }
  // A link proves an address. It does not give access to an existing account.
  if ((await findAccountByEmail(ctx, email))?.has_password) throw signInToAccept()
  if (config.SIGN_UP === 'off') throw signUpClosed()
  const { full_name, password } = input
  if (full_name === undefined || password === undefined) throw accountNeeded()
  return { email, full_name, password_hash: await hashOfPassword(password) }
}

async function personOf(ctx: BrandTx, deps: AcceptanceDeps, joining: Joining): Promise<number> {
  if (!('person_id' in joining)) return registerPerson(ctx, deps.new_people, joining)
  await noteVerifiedEmail(ctx, joining.person_id)
  return joining.person_id
}
