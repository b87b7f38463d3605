import { noAuthAccount, resetInstead } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { digestOf, newSecret } from '../secrets.ts'
import { hashPassword } from './password-hash.ts'
import * as store from './passwords.store.ts'

export { resetLetter } from './reset-mail.ts'

const linkMinutes = 60

/** Never inside a transaction: it takes longer than all of its statements together. */
export const hashOfPassword = (password: string): Promise<string> => hashPassword(password)

/** Whether another workspace has let the person in without making them a member. */
export type IsGuestElsewhere = (ctx: BrandCtx, person_id: number) => Promise<boolean>

/**
 * MBR-26, MBR-27, MBR-28, MBR-G15: an admin may set the password only of a person who belongs to no other workspace:
 * anyone who knows it can sign in and read what other workspaces share. An auth account is a password: a person who was
 * only invited or added as a guest has none and cannot sign in.
 */
export async function refuseForeignAccount(
  ctx: BrandCtx,
  person_id: number,
  isGuestElsewhere: IsGuestElsewhere,
): Promise<void> {
  const account = await store.findAccount(ctx, person_id)
  if (account && (account.is_staff || account.kind === 'service' || account.workspaces > 1))
    throw resetInstead()
  if (await isGuestElsewhere(ctx, person_id)) throw resetInstead()
  if (!account?.has_password) throw noAuthAccount()
}

/**
 * MBR-G16: sessions and links end, tokens stay. It is serialized with joining another workspace and with becoming its
 * guest.
 */
export async function replacePassword(
  ctx: BrandTx,
  person_id: number,
  hash: string,
  isGuestElsewhere: IsGuestElsewhere,
): Promise<void> {
  await store.lockPerson(ctx, person_id)
  await refuseForeignAccount(ctx, person_id, isGuestElsewhere)
  await store.updatePassword(ctx, person_id, hash)
  await store.deleteLinks(ctx, person_id)
  await store.deleteSessions(ctx, person_id)
}

/** MBR-G12: single use, valid for one hour, and voids every older link of the person. Returns the secret of the link. */
export async function issueResetLink(ctx: BrandTx, person_id: number): Promise<string> {
  const secret = newSecret()
  await store.lockPerson(ctx, person_id)
  await store.deleteLinks(ctx, person_id)
  await store.insertLink(ctx, { person_id, token_hash: digestOf(secret), minutes: linkMinutes })
  return secret
}

/** For a link that could not be sent. */
export const voidResetLink = async (ctx: BrandCtx, secret: string): Promise<void> => {
  await store.deleteLink(ctx, digestOf(secret))
}
