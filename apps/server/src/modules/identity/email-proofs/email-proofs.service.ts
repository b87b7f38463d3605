import { sendEmailProof } from '@crewhall/contracts/identity/email-proofs.ts'
import {
  notAuthenticated,
  resetLinkDead,
  signInToConfirm,
  tooManyAttempts,
} from '@crewhall/contracts/identity/refusals.ts'
import type { BrandTx, OutsideSystemCtx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import type { Sender } from '#platform/letter/letter.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { sendOrGiveUp } from '../letters/account-letters.service.ts'
import { digestOf, newSecret } from '../secrets.ts'
import { findPerson, updateTries } from '../sessions/sessions.store.ts'
import { revokeAllTokens } from '../tokens/person-tokens.service.ts'
import { proofLetter } from './email-proof-mail.ts'
import * as store from './email-proofs.store.ts'

export interface ProofDeps extends Sender {
  readonly mail: Mail
}

const linkHours = 72
const asksPerHour = 5
const lettersPerHour = 10

/** S1: an address is unconfirmed until a link sent to it comes back. */
export const askForProof = (ctx: SystemTx | BrandTx, person_id: number): Promise<void> =>
  ctx.enqueue(sendEmailProof, { person_id })

export async function askAgain(ctx: SystemCtx): Promise<void> {
  const { actor } = ctx
  const person = actor.kind === 'person' ? await findPerson(ctx, actor.person_id) : undefined
  if (!person) throw notAuthenticated()
  if (person.email_verified) return
  if (!(await updateTries(ctx, `proof:${digestOf(person.email)}`, asksPerHour, 60))) throw tooManyAttempts()
  await ctx.tx((ctx) => askForProof(ctx, person.id))
}

/**
 * The link alone is not enough: someone else may have signed up with the address, and its owner would confirm it for
 * them. Session and link together prove both the account and the address.
 */
export async function proveEmail(ctx: SystemCtx, token: string): Promise<void> {
  const { actor } = ctx
  if (actor.kind !== 'person') throw signInToConfirm()
  const { person_id } = actor
  await ctx.tx(async (ctx) => {
    if (!(await store.deleteProof(ctx, person_id, digestOf(token)))) throw resetLinkDead()
    await store.updateVerified(ctx, person_id)
  })
}

/**
 * For a person who set a new password with a mailed link. Someone else may have created the account, so their tokens end
 * too; sessions end with every new password.
 */
export async function takeOver(ctx: SystemTx, person_id: number): Promise<void> {
  if (await store.updateVerified(ctx, person_id)) await revokeAllTokens(ctx, person_id)
}

export async function mailProof(
  ctx: OutsideSystemCtx,
  { mail, ...sender }: ProofDeps,
  person_id: number,
): Promise<void> {
  const secret = newSecret()
  if (!(await updateTries(ctx, `proof-letter:${person_id}`, lettersPerHour, 60))) return
  const person = await store.insertProof(ctx, { person_id, token_hash: digestOf(secret), hours: linkHours })
  if (!person) return
  await sendOrGiveUp(ctx, mail, proofLetter(person, secret, linkHours / 24, sender))
}
