import { randomBytes } from 'node:crypto'
import { newEmail } from '@crewhall/testkit/people.ts'
import type { SharedServer } from '@crewhall/testkit/shared-server.ts'
import type { Answer, Credential } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'

interface ListedGuest {
  readonly user_id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
  readonly access: readonly {
    readonly kind: string
    readonly resource_id: string
    readonly name: string
    readonly role: string | null
  }[]
}

export interface Person {
  readonly id: number
  readonly email: string
}

export interface Brand {
  readonly id: number
  /** The admin's token, which may do everything. */
  readonly admin: Credential
  readonly admin_id: number
}

export interface GuestsWorld {
  readonly workspaces: World
  readonly call: World['call']
  newBrand(): Promise<Brand>
  newAdmin(brand: Brand): Promise<Credential>
  newMember(brand: Brand): Promise<{ id: number; headers: Credential }>
  newPerson(full_name?: string, email?: string): Promise<Person>
  sessionOf(person: Person): Promise<Credential>
  newSpace(brand: Brand, name?: string): Promise<string>
  admit(brand: Brand, space_id: string, person: Person, role?: string): Promise<void>
  newBoard(brand: Brand, more?: { name?: string; board_type?: string }): Promise<string>
  admitToBoard(brand: Brand, board_id: string, person: Person, role?: string): Promise<void>
  /** Lets that person onto a new board. Returns its id. */
  giveBoard(brand: Brand, person: Person, name?: string, role?: string): Promise<string>
  /** Past the routes, which make no guest of a member. */
  forceOnBoard(brand: Brand, board_id: string, person_id: number): Promise<void>
  /** A new person who can open one new space. */
  newGuest(brand: Brand, full_name?: string): Promise<Person & { space_id: string }>
  guestsOf(brand: Brand): Promise<Answer<{ guests: readonly ListedGuest[]; total: number }>>
}

/** Workspaces, their admins and their guests. Whatever has a route is made by it. */
export function useGuests(server: SharedServer): GuestsWorld {
  const workspaces = new World(server)
  const { sql, call, made } = workspaces
  const scopes = ['brand:read', 'brand:admin']
  const newAdmin = async (brand_id: number) => {
    const member = await workspaces.join(brand_id, 'admin')
    return { id: member.person_id, headers: { token: await workspaces.newToken(member, scopes) } }
  }
  const world: GuestsWorld = {
    workspaces,
    call,
    async newBrand() {
      const id = await workspaces.newBrand()
      const { id: admin_id, headers } = await newAdmin(id)
      return { id, admin: headers, admin_id }
    },
    newAdmin: async ({ id }) => (await newAdmin(id)).headers,
    async newMember({ id }) {
      const member = await workspaces.join(id, 'member')
      return { id: member.person_id, headers: { token: await workspaces.newToken(member, scopes) } }
    },
    async newPerson(full_name = 'Gus Guest', email = newEmail()) {
      const [row] = await sql<Person>(
        'insert into identity.people (email, full_name, email_verified) values ($1, $2, true) returning id, email',
        [email, full_name],
      )
      if (!row) throw new Error('nobody was made')
      return row
    },
    sessionOf: async ({ id }) => ({ cookie: await workspaces.newCookie(id, null) }),
    newSpace: async ({ admin }, name = 'Handbook') =>
      (await made<{ id: string }>(admin, 'POST', '/api/v1/docs/spaces', { name })).id,
    async admit({ admin }, space_id, { email }, role = 'viewer') {
      await made(admin, 'POST', `/api/v1/docs/spaces/${space_id}/guests`, { email, role })
    },
    async newBoard({ admin }, { name = 'Sprint', ...more } = {}) {
      const key = [...randomBytes(10)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('')
      return (await made<{ id: string }>(admin, 'POST', '/api/v1/board/boards', { name, key, ...more })).id
    },
    async admitToBoard({ admin }, board_id, { email }, role = 'viewer') {
      await made(admin, 'POST', `/api/v1/board/boards/${board_id}/guests`, { email, role })
    },
    async giveBoard(brand, person, name = 'Sprint', role = 'editor') {
      const board_id = await world.newBoard(brand, { name })
      await world.admitToBoard(brand, board_id, person, role)
      return board_id
    },
    async forceOnBoard({ id }, board_id, person_id) {
      await sql(
        `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'editor')`,
        [id, board_id, person_id],
      )
    },
    async newGuest(brand, full_name) {
      const person = await world.newPerson(full_name)
      const space_id = await world.newSpace(brand)
      await world.admit(brand, space_id, person)
      return { ...person, space_id }
    },
    guestsOf: ({ id, admin }) => call(admin, 'GET', `/api/v1/brands/${id}/guests`),
  }
  return world
}
