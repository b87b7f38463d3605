/** Scopes of a token. A route lists those it requires; most require none. */
export const scopes = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const

export type Scope = (typeof scopes)[number]

/** AUTH-26, AUTH-27: what a workspace allows its tokens by default; platform admins can change it. */
export const defaultCeiling: readonly Scope[] = ['brand:read', 'memory:read', 'memory:write', 'code:read']
