import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import type { World } from '@crewhall/testkit/world/world.ts'
import { ProjectWorkspace } from '../code-index/project-world.ts'

interface SyncedFile {
  readonly path: string
  readonly id: string | null
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'refused'
  readonly reason: string | null
  readonly possible_duplicate_of?: readonly { id: string; path: string; similarity: number }[]
}
export interface Sync {
  readonly files: readonly SyncedFile[]
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: number
  readonly duplicate_check: string
}
export interface SyncState {
  readonly commit: string | null
  readonly synced_at: string | null
  readonly files: number
  readonly refused_total: number
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}
/** A lesson as it is stored, with its anchors as reads show them. */
export interface StoredLesson {
  readonly slug: string
  readonly status: string
  readonly stale_in: string | null
  readonly body: string
  readonly anchors: readonly string[]
  readonly nodes: readonly (number | null)[]
}

interface Matter {
  readonly type?: string
  readonly anchors?: readonly string[]
  readonly body?: string
  /** Further lines of front matter. */
  readonly more?: string
}
/** The text of a lesson file. */
export function lessonText({
  type = 'rule',
  anchors = [],
  body = 'A rule.',
  more = '',
}: Matter = {}): string {
  const list = anchors.map((anchor) => `  - ${JSON.stringify(anchor)}\n`).join('')
  return `---\ntype: ${type}\n${list ? `anchors:\n${list}` : ''}${more ? `${more}\n` : ''}---\n${body}\n`
}

/** Projects with lessons, and a token that may write them. */
export class SyncedWorkspace {
  readonly projects: ProjectWorkspace
  readonly world: World
  readonly writer: Credential
  readonly reader: Credential
  readonly #server: WorldServer

  constructor(server: WorldServer, projects: ProjectWorkspace, writer: Credential, reader: Credential) {
    this.#server = server
    this.world = projects.world
    this.projects = projects
    this.writer = writer
    this.reader = reader
  }

  static async open(server: WorldServer): Promise<SyncedWorkspace> {
    const projects = await ProjectWorkspace.open(server)
    const { world, brand_id } = projects
    const writer = await world.newToken(await world.join(brand_id, 'member'), ['memory:write'])
    const reader = await world.newToken(await world.join(brand_id, 'member'), ['memory:read'])
    return new SyncedWorkspace(server, projects, { token: writer }, { token: reader })
  }

  call<Body = Record<string, unknown>>(
    path: string,
    body: unknown,
    by: Credential = this.writer,
  ): Promise<Answer<Body>> {
    return call(this.#server.get, by, 'POST', `/api/v1/projects/${path}`, body)
  }

  /** Writes files; those of `lessons/` by their ids. */
  async sync(project_id: string, files: Readonly<Record<string, string>>): Promise<Sync> {
    const given = Object.entries(files).map(([id, text]) => ({
      path: id.includes('.') ? id : `lessons/${id}.md`,
      text,
    }))
    const { status, body } = await this.call<Sync>(`${project_id}/lessons:sync`, { files: given })
    if (status !== 200) throw new Error(`not synced: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** What the last index said of the files. */
  async syncState(project_id: string): Promise<SyncState> {
    const path = `/api/v1/projects/${project_id}/lessons:sync`
    const { status, body } = await call<SyncState>(this.#server.get, this.reader, 'GET', path)
    if (status !== 200) throw new Error(`no state: ${status} ${JSON.stringify(body)}`)
    return body
  }

  lessons(project_id: string): Promise<StoredLesson[]> {
    return this.world.sql<StoredLesson>(
      `select l.slug, l.status, l.stale_in, l.body,
         coalesce((select array_agg(a.path || case when a.is_folder then '/' when a.symbol <> '' then '#' || a.symbol else '' end
           order by a.position) from lessons.anchors a where a.lesson_id = l.id), '{}') as anchors,
         coalesce((select array_agg(case when a.removed_in is null then a.nid end order by a.position)
           from lessons.anchors a where a.lesson_id = l.id), '{}') as nodes
       from lessons.lessons l where l.project_id = $1 order by l.slug`,
      [project_id],
    )
  }

  async lesson(project_id: string, slug: string): Promise<StoredLesson> {
    const found = (await this.lessons(project_id)).find((lesson) => lesson.slug === slug)
    if (!found) throw new Error(`there is no lesson ${slug}`)
    return found
  }
}
