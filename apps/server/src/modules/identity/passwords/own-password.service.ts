import { currentPasswordWrong, notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { tellOfPassword } from '../letters/account-letters.service.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { signedIn } from '../sessions/own-sessions.service.ts'
import { deleteOtherSessions, findOwnSession } from '../sessions/own-sessions.store.ts'
import { admitSignIn, noteFailure, type TryLimits } from '../sessions/sign-in-limits.service.ts'
import { hashPassword, isPassword } from './password-hash.ts'
import * as store from './passwords.store.ts'

/**
 * A stolen session is not enough to take over the account: the current password is required, and failed attempts count
 * toward the sign-in limit. The stored hash is compared again under the lock of the person: of two concurrent changes
 * one is refused, and one that waited for a reset changes nothing.
 */
export async function changeOwnPassword(
  ctx: SystemCtx,
  limits: TryLimits,
  network: string,
  input: { readonly current_password: string; readonly password: string },
): Promise<void> {
  const { person_id, session_id } = signedIn(ctx)
  const account = await store.findPassword(ctx, person_id)
  if (!account) throw currentPasswordWrong()
  const admitted = await admitSignIn(ctx, limits, network, account.email)
  if (!(await isPassword(input.current_password, account.password_hash))) {
    noteFailure(ctx, { person_id, network }, admitted.count)
    throw currentPasswordWrong()
  }
  await admitted.forgive()
  const to = await hashPassword(input.password)
  await ctx.tx(async (ctx) => {
    await store.lockPerson(ctx, person_id)
    if (!(await findOwnSession(ctx, person_id, session_id))) throw notAuthenticated()
    const changed = await store.updatePasswordFrom(ctx, { person_id, from: account.password_hash, to })
    if (changed === 0) throw currentPasswordWrong()
    await store.deleteLinks(ctx, person_id)
    await deleteOtherSessions(ctx, person_id, session_id)
    await notePlatform(ctx, { action: 'password.changed', person_id })
    await tellOfPassword(ctx, person_id)
  })
}
