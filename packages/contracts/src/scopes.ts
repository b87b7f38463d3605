/** Scopes of a token. A route lists those it requires; most require none. */
export const scopes = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const

export type Scope = (typeof scopes)[number]

/** What a scope allows, for people who give it or ask about it. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  'brand:read': 'Read settings, members and usage of the workspace',
  'brand:admin': 'Change settings and members of the workspace, as far as you may',
  'memory:read': 'Read memories of agents',
  'memory:write': 'Write and delete memories of agents',
  'code:read': 'Read indexed code',
}

/** AUTH-26, AUTH-27: what a workspace allows its tokens by default; platform admins can change it. */
export const defaultCeiling: readonly Scope[] = ['brand:read', 'memory:read', 'memory:write', 'code:read']
