const maxLength = 500
const loopbacks = new Set(['127.0.0.1', '[::1]', 'localhost'])
/** RFC 8252, 7.1: the name of a domain, backwards. That also keeps out every scheme that browsers act on. */
const privateScheme = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/
/** Editors with a scheme of another form, which nothing else on a machine acts on. */
const editorSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:'])
/** Narrower than what URLs allow: it is put into a policy for browsers, where `;` and `'` have a meaning. */
const plainHost = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[::1\])$/
/** Without fragments, quotes, blanks, and everything outside of ASCII. */
const plainText = /^[A-Za-z0-9\-._~:/?[\]@!$&()*+,;=%]+$/

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && loopbacks.has(hostname)

/**
 * Whether a program may be called back there: by https, on the machine of the person, or by a scheme that is its own. One
 * address is written in one way only, so that a comparison of texts compares addresses.
 */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= maxLength && plainText.test(text) ? urlOf(text) : undefined
  if (!url || (url.href !== text && url.href !== `${text}/`)) return false
  if (url.username !== '' || url.password !== '') return false
  if (privateScheme.test(url.protocol) || editorSchemes.has(url.protocol))
    return url.host === '' || plainHost.test(url.hostname)
  return plainHost.test(url.hostname) && (url.protocol === 'https:' || isLoopback(url))
}

/** RFC 8252, 7.3: a program on the machine of the person takes the port that is free. Nothing else may differ. */
export function isRegistered(registered: readonly string[], given: string): boolean {
  if (registered.includes(given)) return true
  const plain = isRedirectUri(given) ? withoutPort(given) : undefined
  return plain !== undefined && registered.some((each) => withoutPort(each) === plain)
}

function withoutPort(text: string): string | undefined {
  const url = urlOf(text)
  if (!url || !isLoopback(url)) return undefined
  url.port = ''
  return url.href
}

/** As a policy for browsers names it. Addresses of IPv6 have no name there. */
export function sourceOf(redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return protocol
  return hostname.startsWith('[') ? protocol : `${protocol}//${host}`
}

/** Whom the person hands the access to, in words. */
export function targetOf(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isLoopback(url)) return `a program on this computer (${url.host})`
  return url.protocol === 'https:' ? url.host : `the app that opens ${url.protocol} links`
}

/** What stands there already stays as it is. */
export function withAnswer(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
