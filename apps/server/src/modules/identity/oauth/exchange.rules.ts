export type SecretKind = 'code' | 'refresh'

export interface SecretUse {
  readonly is_used: boolean
  /** Whether it was used less than half an hour ago. */
  readonly is_recent: boolean
}

/**
 * A code that comes a second time was stolen, on the first or the second occasion, so nobody keeps what it got. The same
 * holds for a refresh token, but not at once: programs with several processes refresh in each of them, and lose answers.
 */
export function nextOf(kind: SecretKind, { is_used, is_recent }: SecretUse): 'issue' | 'revoke' {
  if (!is_used) return 'issue'
  return kind === 'refresh' && is_recent ? 'issue' : 'revoke'
}
