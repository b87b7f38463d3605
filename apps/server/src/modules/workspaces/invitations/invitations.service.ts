import { foldAddress } from '@crewhall/contracts/folding.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import {
  alreadyMember,
  type Invitation,
  invitationNotFound,
  sendInvitation,
} from '@crewhall/contracts/workspaces/invitations.ts'
import {
  brandNameOf,
  countLetter,
  findMembership,
  findPersonByEmail,
  type LetterLimits,
  listPeople,
} from '#modules/identity'
import type { BrandCtx, BrandTx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Sender } from '#platform/letter/letter.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { Outage } from '#platform/outage/outage.ts'
import { newInvitationLink } from './invitation-link.ts'
import { invitationLetter } from './invitation-mail.ts'
import { presentInvitation } from './invitations.present.ts'
import * as store from './invitations.store.ts'

export interface InvitationDeps {
  readonly mail: Mail
  readonly sender: Sender
}

export interface InvitingDeps {
  readonly limits: LetterLimits
}

/** GST-G4. */
const lifetimeDays = 7
/** GST-12 to GST-16. Called inside the transaction of the inviter. */
export async function invite(
  ctx: BrandTx,
  limits: LetterLimits,
  given: { readonly email: string; readonly role: 'admin' | 'member' },
): Promise<Invitation> {
  const email = foldAddress(given.email)
  await refuseMember(ctx, email)
  await store.updateExpired(ctx, email)
  const row = await store.insertInvitation(ctx, { email, role: given.role, ...sentBy(ctx) })
  // Writing waits for an acceptance by the same address that is under way; this sees how it ended.
  await refuseMember(ctx, email)
  await countLetter(ctx, limits, { kind: 'invitation', email })
  await ctx.enqueue(sendInvitation, { brand_id: ctx.brandId, invitation_id: row.id })
  const to = { email, role: row.role }
  await ctx.audit({ action: 'invitation.created', target: `invitation:${row.id}`, from: null, to })
  return presentInvitation(row)
}

const sentBy = ({ actor }: BrandTx) => ({
  invited_by: actor.kind === 'person' ? actor.person_id : null,
  days: lifetimeDays,
})

async function refuseMember(ctx: BrandTx, email: string): Promise<void> {
  const person = await findPersonByEmail(ctx, email)
  if (person && (await findMembership(ctx, person.id))) throw alreadyMember()
}

export const inviteByAdmin = (
  ctx: BrandCtx,
  limits: LetterLimits,
  { email, role = 'member' }: { email: string; role?: 'admin' | 'member' | undefined },
): Promise<Invitation> => ctx.tx((ctx) => invite(ctx, limits, { email, role }))

export async function listInvitationPage(
  ctx: BrandCtx,
  { page, per_page }: Paging,
): Promise<{ invitations: Invitation[]; total: number }> {
  const rows = await store.listPending(ctx, { limit: per_page, offset: (page - 1) * per_page })
  return { invitations: rows.map(presentInvitation), total: await store.countPending(ctx) }
}

export const revokeOneInvitation = (ctx: BrandCtx, id: number): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.updateRevoked(ctx, id)
    if (!row) throw invitationNotFound()
    await auditRevoked(ctx, row)
  })

/** GST-G8: for a guest who is removed before joining. Does nothing if no invitation is pending. */
export async function revokeInvitationOf(ctx: BrandTx, email: string): Promise<void> {
  const row = await store.updateRevokedByEmail(ctx, foldAddress(email))
  if (row) await auditRevoked(ctx, row)
}

/**
 * For an admin who is one no more: nobody joins on their word. Before the membership is touched, in the order in
 * which an acceptance takes both.
 */
export async function revokeInvitationsBy(ctx: BrandTx, person_id: number): Promise<void> {
  for (const row of await store.updateRevokedByInviter(ctx, person_id)) await auditRevoked(ctx, row)
}

const auditRevoked = (ctx: BrandTx, { id, email, role }: store.InvitationRow): Promise<void> =>
  ctx.audit({ action: 'invitation.revoked', target: `invitation:${id}`, from: { email, role }, to: null })

/** The last sender is responsible for it from then on. */
export const resendOneInvitation = (ctx: BrandCtx, limits: LetterLimits, id: number): Promise<Invitation> =>
  ctx.tx(async (ctx) => {
    const row = await store.updateRenewed(ctx, { id, ...sentBy(ctx) })
    if (!row) throw invitationNotFound()
    await countLetter(ctx, limits, { kind: 'invitation', email: row.email })
    await ctx.enqueue(sendInvitation, { brand_id: ctx.brandId, invitation_id: id })
    const to = { email: row.email, expires_at: row.expires_at }
    await ctx.audit({ action: 'invitation.resent', target: `invitation:${id}`, from: null, to })
    return presentInvitation(row)
  })

/**
 * The link is made here and not with the invitation: the queue would keep a secret in clear. An attempt that
 * is made again makes a new link, so the newest mail is the one whose link works.
 */
export async function mailInvitation(
  ctx: OutsideSystemCtx,
  { mail, sender }: InvitationDeps,
  { brand_id, invitation_id }: { brand_id: number; invitation_id: number },
): Promise<void> {
  const brand = ctx.forBrand(brand_id)
  const { url, token_hash } = newInvitationLink(sender.public_url)
  const row = await store.updateLink(brand, invitation_id, token_hash)
  if (!row) return
  const brand_name = await brandNameOf(brand)
  const [inviter] = await listPeople(brand, row.invited_by === null ? [] : [row.invited_by])
  try {
    await mail.send(ctx, invitationLetter({ ...row, brand_name, inviter, days: lifetimeDays }, url, sender))
  } catch (error) {
    if (!(error instanceof Outage) || !error.is_final) throw error
    ctx.log.warn({ error, invitation_id }, 'the mail server rejected an invitation')
    await store.updateDelivery(brand, invitation_id, token_hash, 'refused')
    return
  }
  await store.updateDelivery(brand, invitation_id, token_hash, 'sent')
}
