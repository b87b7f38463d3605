interface Facts {
  readonly method: string
  readonly origin: string | undefined
  readonly fetch_site: string | undefined
  readonly host: string | undefined
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a browser was made to send this by another site. Browsers always say where an unsafe request comes
 * from; a program with a cookie jar says neither, and no other site can make it send anything.
 */
export function isCrossSite(
  { method, origin, fetch_site, host }: Facts,
  ownOrigin: string | undefined,
): boolean {
  if (safe.has(method)) return false
  if (fetch_site !== undefined && fetch_site !== 'same-origin' && fetch_site !== 'none') return true
  if (origin === undefined) return false
  return origin !== ownOrigin && origin !== `https://${host}` && origin !== `http://${host}`
}
