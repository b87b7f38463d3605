import { createHash } from 'node:crypto'
import type { Member, World } from '@crewhall/testkit/world/world.ts'

export const keys = ['skills', 'feed', 'machines', 'crm'] as const
export type Key = (typeof keys)[number]

interface Switch {
  readonly on: boolean
  readonly locked_by_plan: boolean
  readonly source: string
  readonly changed_by: { readonly user_id: number; readonly name: string } | null
  readonly changed_at: string | null
  readonly holds: Readonly<Record<string, number>>
}

interface Features {
  readonly new_navigation: boolean
  readonly switches: Readonly<Record<Key, Switch>>
  readonly detail?: string
}

const adminKey = 'key-of-the-operator'
export const adminEnv = { ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex') }

/** An admin of a new workspace, with a token for everything. */
export interface Admin extends Member {
  readonly token: string
}

export function featureVerbs(world: World) {
  const pathOf = (brand: number | string) => `/api/v1/brands/${brand}/features`
  const scopes = ['brand:read', 'brand:admin']
  const join = async (brand_id: number, role: 'admin' | 'member' = 'admin'): Promise<Admin> => {
    const member = await world.join(brand_id, role)
    return { ...member, token: await world.newToken(member, scopes) }
  }
  return {
    pathOf,
    join,
    async newAdmin(plan = 'free'): Promise<Admin> {
      const brand_id = await world.newBrand()
      await world.sql('update identity.brands set plan_key = $2 where id = $1', [brand_id, plan])
      return join(brand_id)
    },
    read: (admin: Admin, query = '') =>
      world.call<Features>(admin, 'GET', `${pathOf(admin.brand_id)}${query}`),
    put: (admin: Admin, key: string, body: unknown, query = '') =>
      world.call<Features>(admin, 'PUT', `${pathOf(admin.brand_id)}/${key}${query}`, body),
    /** What the operator of the installation does. */
    operate: (path: string, body: unknown) =>
      world.made({ admin_key: adminKey }, 'PUT', `/api/v1/admin${path}`, body),
  }
}
