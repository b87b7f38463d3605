import { Refusal, tooManyLetters } from '@crewhall/contracts/refusal.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { digestOf } from '../secrets.ts'
import * as store from './letter-limits.store.ts'

/** Daily limits on e-mails: per workspace in total, and per address. */
export interface LetterLimits {
  readonly per_workspace: number
  readonly per_address: number
}

const hours = 24

/**
 * Throws if a workspace has reached its limit of e-mails, or an address its own, across workspaces. Kinds are counted
 * separately: many invitations do not block a password reset. The workspace is always counted first, so that two
 * counters at once cannot deadlock.
 */
export async function countLetter(
  ctx: BrandTx,
  limits: LetterLimits,
  { kind, email }: { readonly kind: 'invitation' | 'guest' | 'reset'; readonly email: string },
): Promise<void> {
  const counts = [
    { key: `letters:${kind}:brand:${ctx.brandId}`, limit: limits.per_workspace },
    { key: `letters:${kind}:${digestOf(email)}`, limit: limits.per_address },
  ]
  for (const { key, limit } of counts) {
    if (await store.updateCount(ctx, { key, limit, hours })) continue
    const seconds = await store.findWait(ctx, key)
    throw new Refusal(tooManyLetters.status, tooManyLetters.text, { 'retry-after': String(seconds) })
  }
}
