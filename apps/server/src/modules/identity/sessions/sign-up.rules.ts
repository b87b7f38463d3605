import { mailDomainRefused, signUpClosed } from '@crewhall/contracts/identity/refusals.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'

export interface SignUpPolicy {
  /** `invite`: accounts are made by invitations only; `off`: not at all. */
  readonly sign_up: 'open' | 'invite' | 'off'
  /** Mail domains that may sign up by themselves; none for all. */
  readonly domains: readonly string[]
}

export function refusalOfSignUp({ sign_up, domains }: SignUpPolicy, email: string): Refusal | undefined {
  if (sign_up !== 'open') return signUpClosed()
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const isAllowed = domains.length === 0 || domains.some((each) => each.toLowerCase() === domain)
  return isAllowed ? undefined : mailDomainRefused()
}
