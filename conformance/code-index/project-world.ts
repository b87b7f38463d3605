import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'

export interface Project {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at: string | null
  readonly repository: Readonly<Record<string, unknown>> | null
}

export const nowhere = '00000000-0000-4000-8000-000000000000'

/** A workspace with an admin who may do everything with projects, and a member who may read them. */
export class ProjectWorkspace {
  readonly world: World
  readonly brand_id: number
  readonly admin: Credential
  readonly reader: Credential
  readonly #server: WorldServer

  constructor(server: WorldServer, of: { brand_id: number; admin: Credential; reader: Credential }) {
    this.#server = server
    this.world = new World(server)
    this.brand_id = of.brand_id
    this.admin = of.admin
    this.reader = of.reader
  }

  static async open(server: WorldServer): Promise<ProjectWorkspace> {
    const world = new World(server)
    const brand_id = await world.newBrand()
    const admin = await world.newToken(await world.join(brand_id, 'admin'), ['brand:admin', 'code:read'])
    const reader = await world.newToken(await world.join(brand_id, 'member'), ['code:read'])
    return new ProjectWorkspace(server, { brand_id, admin: { token: admin }, reader: { token: reader } })
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    by: Credential = this.admin,
  ): Promise<Answer<Body>> {
    return call(this.#server.get, by, method, `/api/v1/projects${path}`, body)
  }

  async add(name = 'Engine'): Promise<Project> {
    const { status, body } = await this.call<Project>('POST', '', { name })
    if (status !== 201) throw new Error(`the project was refused with ${status}: ${JSON.stringify(body)}`)
    return body
  }
}
