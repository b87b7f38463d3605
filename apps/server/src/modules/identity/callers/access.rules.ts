import {
  adminRequired,
  brandNotFound,
  noWorkspace,
  scopeMissing,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'
import type { Auth } from '@crewhall/contracts/route.ts'

export interface Caller {
  readonly brand_id: number | null
  readonly role: 'admin' | 'member' | null
  /** Null for a session, to which scopes do not apply (AUTH-G2). */
  readonly scopes: readonly string[] | null
  readonly ceiling: readonly string[] | null
}

/**
 * AUTH-G14: the published order. The brand in the path comes first, so that nothing about another workspace
 * can be learnt from a scope or a role; then the scope, then the role.
 */
export function refusalOfCaller(
  auth: Auth,
  caller: Caller,
  pathBrand: string | undefined,
): Refusal | undefined {
  if (auth.kind !== 'token' && auth.kind !== 'session' && auth.kind !== 'session_or_admin') return undefined
  // AUTH-25, AUTH-G8: foreign, missing, malformed and one's other workspace are one answer.
  if (pathBrand !== undefined && pathBrand !== String(caller.brand_id)) return brandNotFound()
  // Not 401: the person is signed in, and clients would sign them out.
  if (caller.brand_id === null) return noWorkspace()
  const missing = auth.kind === 'token' ? missingScopes(auth, caller) : []
  if (missing.length > 0) return scopeMissing(missing, caller.ceiling ?? [])
  return auth.role === 'admin' && caller.role !== 'admin' ? adminRequired() : undefined
}

/** Whether an admin of the platform may call as such. */
export const takesAdmins = ({ kind }: Auth): boolean =>
  kind === 'platform_admin' || kind === 'session_or_admin'

/** AUTH-G10: what the token says counts only as far as the workspace allows it now. */
function missingScopes(auth: Auth & { kind: 'token' }, { scopes, ceiling }: Caller) {
  if (scopes === null) return []
  return auth.scopes.filter((scope) => !scopes.includes(scope) || !ceiling?.includes(scope))
}

/** A scope of the token outside the ceiling is asleep, not gone. */
export const effectiveScopes = (scopes: readonly string[], ceiling: readonly string[]): string[] =>
  scopes.filter((scope) => ceiling.includes(scope))
