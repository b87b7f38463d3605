import { type SeededEdge, seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { type SeededLesson, seedLesson } from '@crewhall/testkit/seeded-lessons.ts'
import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type pg from 'pg'

interface Brief {
  readonly id: string
  readonly path: string
  readonly type: string
  readonly body: string
  readonly pinned: boolean
  readonly stale: boolean
  readonly stale_reason: string | null
}
interface NearEntry extends Brief {
  readonly hops: number
  readonly via_node_id: string
  readonly path_to: readonly { node_id: string; path: string; edge: string | null }[]
}
export interface Near {
  readonly entries: readonly NearEntry[]
  readonly reached_nodes: number
  readonly damped: readonly { node_id: string; path: string; degree: number }[]
  readonly truncated: boolean
  readonly degraded: string | null
}
interface FoundItem extends Brief {
  readonly title: string
  readonly anchors: readonly string[]
  readonly project_id: string
  readonly matched_by: string | null
}
export interface Found {
  readonly query: string | null
  readonly total: number
  readonly items: readonly FoundItem[]
  readonly warnings: readonly string[]
}
export interface LookedUp {
  readonly counts: Readonly<Record<string, number>>
  readonly entries: Readonly<Record<string, readonly Brief[]>>
}

export const nowhere = '00000000-0000-4000-8000-000000000000'

/** A workspace whose member may read code and lessons, and projects with an index and lessons of their own. */
export class ReadingWorkspace {
  readonly world: World
  readonly brand_id: number
  readonly person_id: number
  readonly reader: Credential
  readonly #server: WorldServer
  readonly #admin: pg.Client

  constructor(
    server: WorldServer,
    admin: pg.Client,
    of: { brand_id: number; person_id: number; token: string },
  ) {
    this.#server = server
    this.#admin = admin
    this.world = new World(server)
    this.brand_id = of.brand_id
    this.person_id = of.person_id
    this.reader = { token: of.token }
  }

  static async open(server: WorldServer, admin: pg.Client): Promise<ReadingWorkspace> {
    const world = new World(server)
    const member = await world.join(await world.newBrand(), 'member')
    const token = await world.newToken(member, ['memory:read', 'code:read'])
    return new ReadingWorkspace(server, admin, { ...member, token })
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    by: Credential = this.reader,
  ): Promise<Answer<Body>> {
    return call(this.#server.get, by, method, `/api/v1${path}`, body)
  }

  near(project_id: string, query: object, by = this.reader): Promise<Answer<Near & { detail?: string }>> {
    return this.call('POST', '/memory/entries:near', { project_id, ...query }, by)
  }

  search(query: Readonly<Record<string, string>>): Promise<Answer<Found & { detail?: string }>> {
    return this.call('GET', `/memory/entries/search?${new URLSearchParams(query)}`)
  }

  lookUp(
    project_id: string,
    node_ids: readonly string[],
    more: object = {},
  ): Promise<Answer<LookedUp & { detail?: string }>> {
    return this.call('POST', '/memory/anchors:lookup', { project_id, node_ids, ...more })
  }

  async newProject({ is_attached = true } = {}): Promise<string> {
    const { rows } = await this.#admin.query<{ id: string }>(
      `insert into code_index.projects (brand_id, id, name) values ($1, gen_random_uuid(), 'Engine') returning id`,
      [this.brand_id],
    )
    const id = rows[0]?.id ?? ''
    if (is_attached)
      await this.#admin.query(
        `insert into code_index.repositories (brand_id, project_id, url, generation)
         values ($1, $2, 'https://git.example/engine.git', 1)`,
        [this.brand_id, id],
      )
    return id
  }

  /** A project with a complete index; ids of nodes by place, folders with a slash at their end. */
  async indexed(places: readonly string[], edges: readonly SeededEdge[] = []): Promise<Indexed> {
    const id = await this.newProject()
    const nodes = await seedIndex(this.#admin, { brand_id: this.brand_id, project_id: id }, places, edges)
    const node = (place: string): string => {
      const found = nodes.get(place)
      if (!found) throw new Error(`no node ${place}`)
      return found
    }
    return { id, node }
  }

  lesson(project_id: string, slug: string, more: Omit<SeededLesson, 'slug'> = {}): Promise<string> {
    return seedLesson(this.#admin, { brand_id: this.brand_id, project_id }, { slug, ...more })
  }
}

export interface Indexed {
  readonly id: string
  node(place: string): string
}

export const idsOf = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id)
