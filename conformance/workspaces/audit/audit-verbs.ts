import type { World } from '@crewhall/testkit/world/world.ts'
import type { Admin } from '../features/feature-verbs.ts'

export interface Entry {
  readonly id: string
  readonly action: string
  readonly target: string
  readonly from: unknown
  readonly to: unknown
  readonly actor: { readonly kind: string; readonly user_id: number | null; readonly name: string | null }
  readonly credential: { readonly kind: string; readonly id: string | null } | null
  readonly request_id: string | null
  readonly created_at: string
}

export interface Page {
  readonly items: readonly Entry[]
  readonly next_cursor: string
}

type Query = Readonly<Record<string, string | number>>

export function auditVerbs(world: World) {
  const ask = (admin: Admin, query: string) =>
    world.call<Page & { detail?: string }>(admin, 'GET', `/api/v1/brands/${admin.brand_id}/audit${query}`)
  const page = async (admin: Admin, query: Query = {}): Promise<Page> => {
    const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
    const { status, body } = await ask(admin, `?${new URLSearchParams(given)}`)
    if (status !== 200) throw new Error(`the log was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  return {
    ask,
    page,
    /** Everything there is, a page at a time. */
    async whole(admin: Admin, query: Query = {}): Promise<readonly Entry[]> {
      const found: Entry[] = []
      for (let since: Query = {}; ; ) {
        const { items, next_cursor } = await page(admin, { ...query, ...since })
        if (items.length === 0) return found
        found.push(...items)
        since = { since: next_cursor }
      }
    },
  }
}
