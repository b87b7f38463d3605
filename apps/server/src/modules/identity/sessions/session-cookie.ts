export interface CookieOptions {
  readonly name: string
  readonly secure: boolean
}

/** With https a name that browsers take only from this very host, over TLS: no sibling can plant a session. */
export const cookieNameOf = ({ name, secure }: CookieOptions): string => (secure ? `__Host-${name}` : name)

export const cookieFor = (options: CookieOptions, secret: string, maxAgeSeconds: number): string =>
  `${cookieNameOf(options)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${options.secure ? '; Secure' : ''}`

/** Also accepts the cookie without the prefix, from browsers that signed in before there was one. */
export const sessionSecretOf = (header: string | undefined, options: CookieOptions): string | undefined =>
  cookieOf(header, cookieNameOf(options)) ?? cookieOf(header, options.name)

/** The first cookie of that name. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
