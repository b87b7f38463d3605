import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import type { Answer, Credential } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { type Member, World } from '@crewhall/testkit/world/world.ts'
import { key as adminKey } from '../identity/admin-verbs.ts'

/** Employees that every installation has. */
const employees = {
  reviewer: 'db36c3fb-73e4-4434-b95c-e2dc0c9d4593',
  'docs-writer': '2944a084-0593-42d5-b05d-667953ec572a',
  'test-engineer': '1cdf7103-5cca-436b-96c8-01afaed8b60f',
  'release-manager': '3b42c288-3266-4632-ba5e-e605200108af',
} as const
export type EmployeeKey = keyof typeof employees

export interface ActiveHire {
  readonly hire_id: string
  readonly agent_id: string
  /** What its agent works with. */
  readonly token: string
}
export interface Canceled {
  readonly hire_id: string
  readonly status: string
  readonly effective_at: string
  readonly marketplace_disable_at: string
  readonly installs_disabled: number
  readonly installs_retained: number
  readonly management_record_deleted: boolean
  readonly detail?: unknown
}
export interface HireRow {
  readonly status: string
  readonly periods: number
  readonly current_period_end: string
  readonly cancel_at_period_end: boolean
  readonly effective_at: string | null
  readonly ended_at: string | null
  readonly installs_disabled: number | null
  readonly installs_retained: number | null
}

export const operator = { admin_key: adminKey }

/** A workspace, and what its people and the operator do with hires. */
export class HireWorkspace {
  readonly at: World
  readonly admin: Member
  readonly by: { readonly cookie: string }
  readonly #get: WorldServer['get']

  private constructor(server: WorldServer, admin: Member, cookie: string) {
    this.at = new World(server)
    this.admin = admin
    this.by = { cookie }
    this.#get = server.get
  }

  static async open(server: WorldServer): Promise<HireWorkspace> {
    const at = new World(server)
    const admin = await at.join(await at.newBrand(), 'admin')
    const cookie = await at.newCookie(admin.person_id, admin.brand_id)
    // By the clock of the database, which tests move.
    await at.sql(
      `update identity.sessions set expires_at = platform.now() + interval '1 year' where person_id = $1`,
      [admin.person_id],
    )
    return new HireWorkspace(server, admin, cookie)
  }

  get brand_id(): number {
    return this.admin.brand_id
  }

  /** A hire whose build is over. */
  async hire(
    key: EmployeeKey,
    packages: readonly string[],
    { root }: { readonly root?: string } = {},
  ): Promise<ActiveHire> {
    const [hire_id, agent_id] = [randomUUID(), key as string]
    await this.at.sql(
      `insert into identity.agents (brand_id, agent_id, name, origin) values ($1, $2, $2, 'hired') on conflict do nothing`,
      [this.brand_id, agent_id],
    )
    const service = `/api/v1/probe/services/${agent_id}`
    await this.at.made(this.by, 'PUT', service)
    const issued = await this.at.made<{ id: string; token: string }>(this.by, 'POST', `${service}/tokens`, {
      name: 'Desk',
      scopes: ['brand:read', 'memory:read', 'memory:write'],
    })
    await this.at.sql(
      `insert into hires.hires (brand_id, id, profile_id, version, status, agent_id, is_grant, token_id, current_period_end,
         created_at, activated_at)
       select $1, $2, profile_id, version, 'active', $4, false, $5, hires.period_end(platform.now(), 1), platform.now(),
         platform.now()
       from hires.employees where profile_id = $3`,
      [this.brand_id, hire_id, employees[key], agent_id, issued.id],
    )
    await this.refer({ hire_id, agent_id }, packages)
    await this.at.sql(
      `insert into hires.management_records (brand_id, hire_id, agent_id, coder_profile, scopes, packages, directory)
       values ($1, $2, $3, 'codex.docs', '{}', $4, $5)`,
      [this.brand_id, hire_id, agent_id, packages, root === undefined ? null : this.directory(hire_id)],
    )
    if (root !== undefined) {
      const path = join(root, this.directory(hire_id))
      mkdirSync(join(path, 'sessions'), { recursive: true })
      writeFileSync(join(path, 'PERSONA.md'), '# Reviewer\n')
    }
    return { hire_id, agent_id, token: issued.token }
  }

  refer({ hire_id, agent_id }: Pick<ActiveHire, 'hire_id' | 'agent_id'>, packages: readonly string[]) {
    const body = { agent_id, packages }
    return this.at.made(this.by, 'POST', `/api/v1/probe/hires/${hire_id}/references`, body)
  }

  directory(hire_id: string): string {
    return `${this.brand_id}/hires/${hire_id}`
  }

  cancel(
    hire_id: string,
    how: 'cancel' | 'cancel-immediate',
    by: Credential = this.by,
  ): Promise<Answer<Canceled>> {
    return this.at.call(by, 'POST', `/api/v1/employees/hires/${hire_id}/${how}`)
  }

  async row(hire_id: string): Promise<HireRow> {
    const [row] = await this.at.sql<HireRow>(
      `select status, periods, current_period_end::text, cancel_at_period_end, effective_at::text, ended_at::text,
         installs_disabled, installs_retained from hires.hires where id = $1`,
      [hire_id],
    )
    if (!row) throw new Error(`no hire ${hire_id}`)
    return row
  }

  /** The packages that are on. */
  async enabled(): Promise<string[]> {
    const rows = await this.at.sql<{ package_key: string }>(
      'select package_key from marketplace.installs where brand_id = $1 and is_enabled order by package_key',
      [this.brand_id],
    )
    return rows.map(({ package_key }) => package_key)
  }

  /** Packages that hires refer to, with the hires. */
  async references(): Promise<{ hire_id: string; package_key: string }[]> {
    return this.at.sql('select hire_id, package_key from marketplace.install_refs where brand_id = $1', [
      this.brand_id,
    ])
  }

  /** How often something happened to a hire. */
  async events(hire_id: string, type: string): Promise<number> {
    const [row] = await this.at.sql<{ count: number }>(
      'select count(*)::int as count from platform.workspace_events where brand_id = $1 and subject_id = $2 and type = $3',
      [this.brand_id, hire_id, type],
    )
    return row?.count ?? 0
  }

  /** Names of the tools of an agent. */
  async tools({ agent_id, token }: ActiveHire): Promise<string[]> {
    const mcp = new McpCaller(
      (path, init) => this.#get(path, init),
      { token },
      { path: `/mcp/agents/${agent_id}` },
    )
    const { status, result } = await mcp.list()
    if (status !== 200) throw new Error(`tools were answered ${status}`)
    return (result?.tools ?? []).map(({ name }) => name).toSorted()
  }
}
