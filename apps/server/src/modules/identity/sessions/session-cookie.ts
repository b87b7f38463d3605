export interface CookieOptions {
  readonly name: string
  readonly secure: boolean
}

export const cookieFor = ({ name, secure }: CookieOptions, secret: string, maxAgeSeconds: number): string =>
  `${name}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`

/** The first cookie of that name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
