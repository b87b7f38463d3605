import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type pg from 'pg'
import type { Caller, Value, Values, World } from './part.ts'
import { endingSessions, resources } from './parts.ts'
import { cloneAccount, cloneSession } from './sessions.ts'

/** What a call may use up, created for it alone. */
export async function freshValues(
  admin: pg.Client,
  { brands, marks, values }: World,
  route: AnyRoute,
  caller: Caller,
): Promise<Values> {
  const kinds = Object.values(route.resources ?? {})
  const made: Record<string, Value> = {}
  const call = { admin, brand_id: brands.one, mark: marks.one, caller, kinds, own: values.one, made }
  for (const kind of new Set(kinds)) {
    const resource = resources[kind]
    const value = resource && 'fresh' in resource ? await resource.fresh?.(call) : undefined
    if (value !== undefined) made[kind] = value
  }
  return made
}

/** The cookie for a call that may end what it is made with. */
export const spareCookie = (admin: pg.Client, { id }: AnyRoute, cookie: string): Promise<string> =>
  endingSessions.has(id) ? cloneAccount(admin, cookie) : cloneSession(admin, cookie)
