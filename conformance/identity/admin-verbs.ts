import { createHash } from 'node:crypto'
import type { SignedUp } from '@crewhall/testkit/people.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'

export const [key, nextKey] = ['admin-key-of-today', 'admin-key-of-tomorrow']
export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
export const adminEnv = { ADMIN_KEY_DIGESTS: `${digestOf(key)},${digestOf(nextKey)}` }
export const byKey = { 'x-admin-key': key }

/** What an operator does. */
export function adminVerbs(server: WorldServer) {
  const get = (path: string, init?: RequestInit) => server.get(path, init)
  return {
    get,
    ask: (method: string, path: string, body?: unknown, headers: Record<string, string> = byKey) =>
      call<Record<string, unknown>>(get, null, method, `/api/v1/admin${path}`, body, headers),
    /** These are staff, and nobody else. */
    onlyStaff: (...people: SignedUp[]) =>
      server.sql('update identity.people set is_staff = id = any($1)', [people.map((p) => p.person_id)]),
  }
}
