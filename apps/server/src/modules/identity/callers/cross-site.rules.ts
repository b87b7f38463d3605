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
  ownOrigin: Pick<URL, 'origin' | 'protocol'>,
): boolean {
  if (safe.has(method)) return false
  if (fetch_site !== undefined && fetch_site !== 'same-origin' && fetch_site !== 'none') return true
  if (origin === undefined) return false
  // The scheme counts: who can write into a page that came without TLS is another site.
  return origin !== ownOrigin.origin && origin !== `${ownOrigin.protocol}//${host}`
}
