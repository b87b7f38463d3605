import { createHash } from 'node:crypto'
import { json } from '@crewhall/testkit/people.ts'
import type { TestServer } from '@crewhall/testkit/test-server.ts'
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

export interface Told {
  readonly status: number
  readonly request_id: string | null
  readonly body: {
    readonly new_navigation: boolean
    readonly switches: Readonly<Record<Key, Switch>>
    readonly detail?: string
  }
}

const adminKey = 'key-of-the-operator'
export const adminEnv = { ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex') }

/** An admin of a new workspace, with a token for everything. */
export interface Admin extends Member {
  readonly token: string
}

export function featureCalls(server: TestServer, at: World) {
  const told = async (response: Response): Promise<Told> => ({
    status: response.status,
    request_id: response.headers.get('x-request-id'),
    body: (await response.json()) as Told['body'],
  })
  const pathOf = (brand: number | string) => `/api/v1/brands/${brand}/features`
  const authorized = (token: string) => ({ authorization: `Bearer ${token}` })
  const scopes = ['brand:read', 'brand:admin']
  const join = async (brand_id: number, role: 'admin' | 'member' = 'admin'): Promise<Admin> => {
    const member = await at.join(brand_id, role)
    return { ...member, token: await at.newToken(member, scopes) }
  }
  return {
    pathOf,
    join,
    async newAdmin(plan = 'free'): Promise<Admin> {
      const brand_id = await at.newBrand()
      await at.sql('update identity.brands set plan_key = $2 where id = $1', [brand_id, plan])
      return join(brand_id)
    },
    read: async ({ token, brand_id }: Admin, query = '') =>
      told(await server.get(`${pathOf(brand_id)}${query}`, { headers: authorized(token) })),
    raw: ({ token, brand_id }: Admin, query: string) =>
      server.get(`${pathOf(brand_id)}${query}`, { headers: authorized(token) }),
    put: async ({ token, brand_id }: Admin, key: string, body: unknown, query = '') =>
      told(
        await server.get(`${pathOf(brand_id)}/${key}${query}`, {
          ...json(body, authorized(token)),
          method: 'PUT',
        }),
      ),
    /** What the operator of the installation does. */
    operate: async (path: string, body: unknown) => {
      const init = { ...json(body, { 'x-admin-key': adminKey }), method: 'PUT' }
      const response = await server.get(`/api/v1/admin${path}`, init)
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`)
      await response.text()
    },
  }
}
