import { randomUUID } from 'node:crypto'
import { sendDeviceLetter } from '@crewhall/contracts/identity/device.ts'
import { sendPasswordLetter } from '@crewhall/contracts/identity/own-password.ts'
import { sendSignInLetter } from '@crewhall/contracts/identity/own-sessions.ts'
import type { OutsideSystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import type { Sender } from '#platform/letter/letter.ts'
import type { Mail, Message } from '#platform/mail/mail.ts'
import { Outage } from '#platform/outage/outage.ts'
import { findDeviceCode } from '../device/device.store.ts'
import { findOwnSession } from '../sessions/own-sessions.store.ts'
import { findPerson, updateTries } from '../sessions/sessions.store.ts'
import { deviceLetter, passwordLetter, signInLetter } from './account-mail.ts'

export interface AccountLetterDeps extends Sender {
  readonly mail: Mail
}

/** Per kind and person, so that frequent sign-ins from many places do not each send an e-mail. */
const lettersPerDay = 5
const dayMinutes = 24 * 60

export async function tellOfSignIn(ctx: SystemTx, person_id: number, session_id: number): Promise<void> {
  if (!(await updateTries(ctx, `letters:sign-in:${person_id}`, lettersPerDay, dayMinutes))) return
  await ctx.enqueue(sendSignInLetter, { person_id, session_id, signed_in_at: ctx.now().toISOString() })
}

export async function tellOfDevice(ctx: SystemTx, person_id: number, code_id: string): Promise<void> {
  if (!(await updateTries(ctx, `letters:device:${person_id}`, lettersPerDay, dayMinutes))) return
  await ctx.enqueue(sendDeviceLetter, { person_id, code_id, approved_at: ctx.now().toISOString() })
}

export async function tellOfPassword(ctx: SystemTx, person_id: number): Promise<void> {
  if (!(await updateTries(ctx, `letters:password:${person_id}`, lettersPerDay, dayMinutes))) return
  const changed_at = ctx.now().toISOString()
  await ctx.enqueue(sendPasswordLetter, { person_id, change_id: randomUUID(), changed_at })
}

interface SignedIn {
  readonly person_id: number
  readonly session_id: number
  readonly signed_in_at: string
}

/** Also for a session that has ended meanwhile, with fewer details: signing out must not hide a sign-in. */
export async function mailSignIn(
  ctx: OutsideSystemCtx,
  { mail, ...sender }: AccountLetterDeps,
  { person_id, session_id, signed_in_at }: SignedIn,
): Promise<void> {
  const person = await findPerson(ctx, person_id)
  if (!person) return
  const session = await findOwnSession(ctx, person_id, session_id)
  const message = signInLetter(person, { ...session, at: signed_in_at }, sender)
  await sendOrGiveUp(ctx, mail, { ...message, message_id: `<sign-in-${session_id}@crewhall>` })
}

interface DeviceApproved {
  readonly person_id: number
  readonly code_id: string
  readonly approved_at: string
}

/** With fewer details if the session has ended that approved it. */
export async function mailDevice(
  ctx: OutsideSystemCtx,
  { mail, ...sender }: AccountLetterDeps,
  { person_id, code_id, approved_at }: DeviceApproved,
): Promise<void> {
  const person = await findPerson(ctx, person_id)
  if (!person) return
  const code = await findDeviceCode(ctx, code_id)
  const message = deviceLetter(person, { ...code, at: approved_at }, sender)
  await sendOrGiveUp(ctx, mail, { ...message, message_id: `<device-${code_id}@crewhall>` })
}

interface PasswordChanged {
  readonly person_id: number
  readonly change_id: string
  readonly changed_at: string
}

export async function mailPasswordChange(
  ctx: OutsideSystemCtx,
  { mail, ...sender }: AccountLetterDeps,
  { person_id, change_id, changed_at }: PasswordChanged,
): Promise<void> {
  const person = await findPerson(ctx, person_id)
  if (!person) return
  const message = passwordLetter(person, changed_at, sender)
  await sendOrGiveUp(ctx, mail, { ...message, message_id: `<${change_id}@crewhall>` })
}

/** An address that the mail server refuses for good will not be taken the next time either. */
export async function sendOrGiveUp(ctx: OutsideSystemCtx, mail: Mail, message: Message): Promise<void> {
  try {
    await mail.send(ctx, message)
  } catch (error) {
    if (!(error instanceof Outage) || !error.is_final) throw error
    ctx.log.warn({ error }, 'the mail server rejected an e-mail about an account')
  }
}
