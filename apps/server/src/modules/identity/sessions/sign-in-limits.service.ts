import { tooManyAttempts } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { noteLater } from '../platform-audit/platform-audit.service.ts'
import { digestOf } from '../secrets.ts'
import * as store from './sessions.store.ts'

export interface TryLimits {
  readonly tries_per_address: number
  readonly tries_per_email: number
}

export const tryMinutes = 15
/** Guesses at one account from one network. */
const triesPerPair = 10

/** The first guess of a network at an account and the one that locks it; never one entry for each. */
export function noteFailure(
  ctx: SystemCtx,
  about: { readonly person_id: number | undefined; readonly network: string },
  count: number,
): void {
  if (about.person_id === undefined) return
  if (count === 1) noteLater(ctx, { action: 'sign_in.failed', ...about })
  if (count === triesPerPair) noteLater(ctx, { action: 'sign_in.locked', ...about })
}

/** A try that was let through. */
export interface Admitted {
  /** How many there were by this network at this account, with this one. */
  readonly count: number
  /** It was right, and counts against nobody. */
  forgive(): Promise<unknown>
}

/**
 * Counts a try to sign in before it is made. One after the other, the network first: what a network may not try any
 * more counts against no account, and a stranger who guesses locks out the own network and not the owner of the
 * account. The limit of the account alone is wide, and for guesses from many networks.
 */
export async function admitSignIn(
  ctx: SystemCtx,
  { tries_per_address, tries_per_email }: TryLimits,
  network: string,
  email: string,
): Promise<Admitted> {
  const account = `sign-in:${digestOf(email)}`
  const [byNetwork, byPair] = [`sign-in:${network}`, `${account}:${network}`]
  const tries = await store.updateTries(ctx, byNetwork, tries_per_address, tryMinutes)
  if (!tries) throw tooManyAttempts()
  if (tries === tries_per_address) noteLater(ctx, { action: 'network.locked', network })
  const count = await store.updateTries(ctx, byPair, triesPerPair, tryMinutes)
  if (!count || !(await store.updateTries(ctx, account, tries_per_email, tryMinutes))) throw tooManyAttempts()
  return {
    count,
    forgive: () =>
      Promise.all([
        store.updateTriesBack(ctx, byNetwork),
        store.deleteTries(ctx, byPair),
        store.updateTriesBack(ctx, account),
      ]),
  }
}
