import { isRedirectUri } from './redirects.rules.ts'

export interface NewClient {
  readonly name: string
  readonly redirect_uris: readonly string[]
}

const maxName = 100
const maxRedirects = 5
/** Control characters, and those that are not seen or turn text around: a name has to be what it looks like. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/u
const unnamed = 'Unnamed app'

/** RFC 7591. Fields that we have no choice for are ignored, and the response says what holds. */
export function readClient(body: unknown): NewClient | 'metadata' | 'redirects' {
  if (typeof body !== 'object' || body === null) return 'metadata'
  const { client_name = unnamed, redirect_uris } = body as Record<string, unknown>
  if (typeof client_name !== 'string') return 'metadata'
  const name = client_name.trim()
  if (name === '' || [...name].length > maxName || unseen.test(name)) return 'metadata'
  if (!Array.isArray(redirect_uris) || redirect_uris.length < 1 || redirect_uris.length > maxRedirects)
    return 'redirects'
  const uris = redirect_uris.filter((uri) => typeof uri === 'string' && isRedirectUri(uri)) as string[]
  return uris.length === redirect_uris.length ? { name, redirect_uris: uris } : 'redirects'
}
