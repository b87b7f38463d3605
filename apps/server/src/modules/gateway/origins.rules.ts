const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a page of another site sent the request. A browser always says where a POST comes from, and a page that has its own
 * name resolve to our address (DNS rebinding) cannot hide that name. What `Host` says is no help: it would be that name.
 */
export function isForeignOrigin(origin: string | undefined, own: Pick<URL, 'origin' | 'hostname'>): boolean {
  if (origin === undefined || origin === own.origin) return false
  // On a machine of a developer, whose browser shows pages of several ports.
  if (!loopback.has(own.hostname)) return true
  const hostname = URL.canParse(origin) ? new URL(origin).hostname : ''
  return !loopback.has(hostname)
}
