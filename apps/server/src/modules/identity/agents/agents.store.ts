import type { Agent } from '@crewhall/contracts/identity/agents.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export type AgentRow = Readonly<Agent>

type OneOf = { readonly agent_id: string }
interface Page {
  /** Only those behind it. */
  readonly after: string
  readonly limit: number
}
interface NewAgent extends OneOf {
  readonly name: string
  readonly origin: Agent['origin']
  readonly created_by: number | null
}

const columns = 'agent_id, name, origin, status, created_by, created_at, updated_at, retired_at'

// Agents of other workspaces and of the platform are as good as missing: neither stands under this key.
const one = (p: Named<OneOf & { brand_id: number }>) =>
  sql`select ${columns} from identity.agents where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`
const find = brandStatement<OneOf, AgentRow>(one)
const hold = brandStatement<OneOf, AgentRow>((p) => sql`${one(p)} for share`)
const holdForChange = brandStatement<OneOf, AgentRow>((p) => sql`${one(p)} for no key update`)

const among = brandStatement<{ ids: readonly string[] }, OneOf>(
  (p) => sql`select agent_id from identity.agents
   where brand_id = ${p.brand_id} and agent_id = any(${p.ids}::text[]) and status = 'active'`,
)

// A text for each, so that each is read from the index that has its columns.
const list = brandStatement<Page, AgentRow>(
  (p) => sql`select ${columns} from identity.agents where brand_id = ${p.brand_id} and agent_id > ${p.after}
   order by agent_id limit ${p.limit}`,
)
const listOfStatus = brandStatement<Page & { status: string }, AgentRow>(
  (p) => sql`select ${columns} from identity.agents
   where brand_id = ${p.brand_id} and status = ${p.status} and agent_id > ${p.after}
   order by agent_id limit ${p.limit}`,
)
const lock = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('identity.agents'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from identity.agents
   where brand_id = ${p.brand_id} and status = 'active'`,
)
// A trigger leaves out ids of the platform.
const add = brandStatement<NewAgent, AgentRow>(
  (p) => sql`insert into identity.agents (brand_id, agent_id, name, origin, created_by)
   values (${p.brand_id}, ${p.agent_id}, ${p.name}, ${p.origin}, ${p.created_by})
   on conflict (brand_id, agent_id) do nothing returning ${columns}`,
)
const rename = brandStatement<OneOf & { name: string }, AgentRow>(
  (p) => sql`update identity.agents set name = ${p.name}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} returning ${columns}`,
)
const retire = brandStatement<OneOf, AgentRow>(
  (p) => sql`update identity.agents
   set status = 'retired', retired_at = platform.now(), updated_at = platform.now()
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} returning ${columns}`,
)

export const findAgent = (ctx: BrandCtx, agent_id: string) => ctx.db.first(find, { agent_id })
export const listActiveAmong = async (ctx: BrandCtx, ids: readonly string[]): Promise<string[]> =>
  (await ctx.db.all(among, { ids })).map(({ agent_id }) => agent_id)
/** It stays as it is until the commit. */
export const lockAgent = (ctx: BrandTx, agent_id: string) => ctx.db.first(hold, { agent_id })
/** The same, and nobody else holds it. */
export const lockAgentForChange = (ctx: BrandTx, agent_id: string) =>
  ctx.db.first(holdForChange, { agent_id })
export const listAgentPage = (ctx: BrandCtx, { status, ...page }: Page & { status: string | undefined }) =>
  status === undefined ? ctx.db.all(list, { ...page }) : ctx.db.all(listOfStatus, { ...page, status })
/** Creations take turns, so that a count still holds when the agent is inserted. */
export const lockAgents = (ctx: BrandTx) => ctx.db.run(lock, {})
export const countActiveAgents = async (ctx: BrandCtx): Promise<number> =>
  (await ctx.db.first(count, {}))?.count ?? 0
/** Nothing when the workspace or the platform has the id already. */
export const insertAgent = (ctx: BrandTx, agent: NewAgent) => ctx.db.first(add, { ...agent })
export const updateName = (ctx: BrandTx, agent_id: string, name: string) =>
  ctx.db.first(rename, { agent_id, name })
export const updateRetired = (ctx: BrandTx, agent_id: string) => ctx.db.first(retire, { agent_id })
