import type { TestServer } from '@crewhall/testkit/test-server.ts'
import { bearer, type Headers } from '@crewhall/testkit/world/call.ts'
import type { World } from '@crewhall/testkit/world/world.ts'
import { BoardWorkspace } from '../../boards/board-workspace.ts'
import { Listener } from '../../boards/stream-calls.ts'
import { linkTo } from '../../workspaces/members/invitation-links.ts'

/** A workspace whose admin invites people, and those who listen to what happens in it. */
export class EventWorkspace {
  readonly workspace: BoardWorkspace
  readonly #server: TestServer
  readonly #at: World

  private constructor(server: TestServer, at: World, workspace: BoardWorkspace) {
    this.#server = server
    this.#at = at
    this.workspace = workspace
  }

  static async open(server: TestServer, at: World): Promise<EventWorkspace> {
    return new EventWorkspace(server, at, await BoardWorkspace.open(server))
  }

  get brand_id(): number {
    return this.workspace.owner.brand_id
  }

  get session(): Headers {
    return { cookie: this.workspace.owner.cookie }
  }

  /** A token of the admin. */
  async bearer(...scopes: string[]): Promise<Headers> {
    const { person_id } = this.workspace.owner
    const token = await this.#at.newToken({ brand_id: this.brand_id, person_id }, scopes)
    return bearer(token)
  }

  /** Invites a person who is known already. Returns how they accept. */
  async invite(user_id: number, role: 'admin' | 'member' = 'member'): Promise<() => Promise<void>> {
    const [person] = await this.#at.sql<{ email: string }>(
      'select email from identity.people where id = $1',
      [user_id],
    )
    const path = `/api/v1/brands/${this.brand_id}/invitations`
    const invited = { email: person?.email, role }
    const { id } = await this.#at.made<{ id: number }>(this.workspace.owner, 'POST', path, invited)
    const token = await linkTo(this.#at, id)
    const cookie = await this.#at.newCookie(user_id, null)
    return async () => {
      await this.#at.made({ cookie }, 'POST', '/api/v1/invitations/accept', { token })
    }
  }

  /** Somebody joins by invitation. Returns their id. */
  async join(role: 'admin' | 'member' = 'member', person_id?: number): Promise<number> {
    const user_id = person_id ?? (await this.#at.newPerson())
    await (await this.invite(user_id, role))()
    return user_id
  }

  listen(
    headers: Headers,
    query = '',
    options: { url?: string; last_event_id?: string } = {},
  ): Promise<Listener> {
    const { url = this.#server.api.url, last_event_id } = options
    return Listener.open(url, query, { headers, last_event_id })
  }
}

export const typesOf = ({ entries }: Listener): string[] => entries.map(({ event }) => event)
export const idsOf = ({ entries }: Listener): string[] => entries.map(({ data }) => String(data.id))
