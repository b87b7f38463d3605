import { defaultCeiling, type Scope } from '../scopes.ts'

/** RFC 9728: describes the resource whose path follows, such as `/mcp`. */
export const protectedResourcePath = '/.well-known/oauth-protected-resource'
/** RFC 8414. */
export const authorizationServerPath = '/.well-known/oauth-authorization-server'

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** What a program gets that asks for nothing in particular, as far as the workspace allows it. */
export const usualScopes: readonly Scope[] = defaultCeiling
