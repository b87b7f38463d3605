interface Facts {
  readonly origin: 'workspace' | 'hire'
  readonly is_enabled: boolean
  /** Whether another hire refers to it. */
  readonly is_used: boolean
}

/** HIRE-26: an install that a workspace made itself, or has changed since, is never turned off by the end of a hire. */
export const isTurnedOff = ({ origin, is_enabled, is_used }: Facts): boolean =>
  origin === 'hire' && is_enabled && !is_used
