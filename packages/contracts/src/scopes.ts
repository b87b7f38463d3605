/** What a token may be allowed to do. A route names the ones it needs; most need none. */
export const scopes = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const

export type Scope = (typeof scopes)[number]

/** AUTH-26, AUTH-27: what a workspace allows its tokens unless a platform admin has decided otherwise. */
export const defaultCeiling: readonly Scope[] = ['brand:read', 'memory:read', 'memory:write', 'code:read']
