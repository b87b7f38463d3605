import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import type { SharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer, call } from '@crewhall/testkit/world/call.ts'
import { type Member, World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll } from 'vitest'

export interface Admin extends Member {
  readonly token: string
}

interface Sent {
  readonly by: Admin
  /** Whose picture; the admin's own when nobody is named. */
  readonly of?: number
  readonly bytes: Uint8Array
  readonly filename?: string
  readonly declared?: string
  /** Another process than the first. */
  readonly url?: string
}

export interface Answered {
  readonly status: number
  readonly body: { readonly photo?: string | null; readonly detail?: unknown }
}

export interface Photos {
  readonly at: World
  readonly storage: Storage
  newAdmin(): Promise<Admin>
  upload(sent: Sent): Promise<Answered>
  /** By the admin's token, or with other headers. */
  show(by: Admin, path: string, headers?: Record<string, string>): Promise<Response>
  remove(by: Admin, of?: number): Promise<Answered>
  /** Keys of the objects of a workspace, as the storage has them. */
  objects(brand_id: number): Promise<string[]>
  /** Keys that rows of the workspace name. */
  named(brand_id: number): Promise<string[]>
}

export const photoPath = ({ brand_id, person_id }: Member, of = person_id): string =>
  `/api/v1/brands/${brand_id}/members/${of}/photo`

/** World with photos on a started server, and a look at its storage and its rows. */
export function usePhotos(server: SharedServer): Photos {
  const { s3 } = readServiceFacts()
  const at = new World(server)
  let storage: Storage | undefined
  const need = () => {
    if (!storage) throw new Error('the storage is open only while tests run')
    return storage
  }
  beforeAll(() => {
    storage = createStorage({ ...s3, prefix: `${server.database.name}/`, timeout_ms: 10_000 })
  })
  afterAll(async () => {
    for (let page = await need().list(outside, ''); page.length > 0; page = await need().list(outside, '')) {
      await Promise.all(page.map(({ key }) => need().remove(outside, key)))
    }
    need().close()
  })
  return {
    at,
    get storage() {
      return need()
    },
    async newAdmin() {
      const admin = await at.join(await at.newBrand(), 'admin')
      return { ...admin, token: await at.newToken(admin, ['brand:admin', 'brand:read']) }
    },
    async upload({ by, of, bytes, filename = 'picture.png', declared = '', url = server.api.url }) {
      const form = formOf('file', bytes, filename, declared)
      const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
      return call(get, by, 'POST', photoPath(by, of), form)
    },
    show: (by, path, headers = {}) => server.get(path, { headers: { ...bearer(by.token), ...headers } }),
    remove: (by, of) => at.call(by, 'DELETE', photoPath(by, of)),
    objects: async (brand_id) =>
      (await need().list(outside, `member-photos/${brand_id}/`)).map(({ key }) => key).sort(),
    named: async (brand_id) =>
      (
        await at.sql<{ key: string }>(
          'select object_key as key from workspaces.member_photos where brand_id = $1 order by 1',
          [brand_id],
        )
      ).map(({ key }) => key),
  }
}
