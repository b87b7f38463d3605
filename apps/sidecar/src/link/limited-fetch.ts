const usualLimitMs = 15_000

/** Ends after a while, and when the sidecar is to stop. A redirect would take credentials elsewhere. */
export const limited =
  (stop: AbortSignal, limitMs = usualLimitMs): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(limitMs)]),
    })
