import { randomUUID } from 'node:crypto'
import { resetMailFailed, sendPasswordNotice } from '@crewhall/contracts/workspaces/members.ts'
import {
  brandNameOf,
  countLetter,
  findMembership,
  getMembership,
  hashOfPassword,
  issueResetLink,
  type LetterLimits,
  refuseForeignAccount,
  replacePassword,
  resetLetter,
  voidResetLink,
} from '#modules/identity'
import type { BrandCtx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Claim } from '#platform/idempotency/claim.ts'
import type { Sender } from '#platform/letter/letter.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { Outage } from '#platform/outage/outage.ts'
import { isGuestElsewhere } from '../guests/guest-access.service.ts'
import type { GuestAccess } from '../workspaces.ports.ts'
import { noticeLetter } from './member-mail.ts'

export interface PasswordDeps {
  readonly guest_access: readonly GuestAccess[]
  readonly mail: Mail
  readonly sender: Sender
  readonly limits: LetterLimits
}

/**
 * MBR-19, MBR-20: the link goes to the member only, and is committed before the e-mail is sent. A retry after a crash
 * creates a new link, so the link in the newest e-mail works; the audit log has one request.
 */
export async function mailResetLink(
  ctx: OutsideBrandCtx,
  deps: PasswordDeps,
  user_id: number,
  claim: Claim,
): Promise<void> {
  const { member, brand_name, secret } = await ctx.tx(async (ctx) => {
    const member = await getMembership(ctx, user_id)
    const brand_name = await brandNameOf(ctx)
    await countLetter(ctx, deps.limits, { kind: 'reset', email: member.email })
    const secret = await issueResetLink(ctx, user_id)
    const asked = { action: 'member.password_reset_requested', target: `member:${user_id}` }
    if (await claim.once(ctx, 'reset')) await ctx.audit({ ...asked, from: null, to: null })
    return { member, brand_name, secret }
  })
  try {
    await deps.mail.send(ctx, resetLetter({ ...member, brand_name }, secret, deps.sender))
  } catch (error) {
    // MBR-21. Nobody has this link. It must not be the reason that a later one is taken for the second.
    await voidResetLink(ctx.afterwards(), secret)
    throw error instanceof Outage ? error.worded(resetMailFailed) : error
  }
}

interface NewPassword {
  readonly password: string
  readonly send_email: boolean
}

/** MBR-G13: 404, then 409, then 400; an outage is the 502 of the contract (MBR-29). */
export async function setPasswordOf(
  ctx: BrandCtx,
  { guest_access }: PasswordDeps,
  user_id: number,
  input: NewPassword,
): Promise<void> {
  const isElsewhere = (ctx: BrandCtx, person_id: number) => isGuestElsewhere(ctx, guest_access, person_id)
  await getMembership(ctx, user_id)
  // Checked before the expensive hash, and again under the lock.
  await refuseForeignAccount(ctx, user_id, isElsewhere)
  const hash = await hashOfPassword(input.password)
  await ctx.tx(async (ctx) => {
    await getMembership(ctx, user_id)
    await replacePassword(ctx, user_id, hash, isElsewhere)
    if (input.send_email) {
      await ctx.enqueue(sendPasswordNotice, {
        brand_id: ctx.brandId,
        person_id: user_id,
        notice_id: randomUUID(),
      })
    }
    await ctx.audit({ action: 'member.password_set', target: `member:${user_id}`, from: null, to: null })
  })
}

interface Notice {
  readonly brand_id: number
  readonly person_id: number
  readonly notice_id: string
}

export async function mailPasswordNotice(
  ctx: OutsideSystemCtx,
  { mail, sender }: PasswordDeps,
  notice: Notice,
): Promise<void> {
  const brand = ctx.forBrand(notice.brand_id)
  const member = await findMembership(brand, notice.person_id)
  // The person was removed meanwhile and no longer concerns this workspace.
  if (!member) return
  const brand_name = await brandNameOf(brand)
  const message_id = `<${notice.notice_id}@crewhall>`
  try {
    await mail.send(ctx, { ...noticeLetter({ ...member, brand_name }, sender), message_id })
  } catch (error) {
    if (!(error instanceof Outage) || !error.is_final) throw error
    ctx.log.warn({ error, person_id: notice.person_id }, 'the mail server rejected a password notice')
  }
}
