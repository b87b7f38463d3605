import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export interface AgentRow {
  readonly agent_id: string
  readonly name: string
  readonly origin: 'created' | 'hired'
  readonly status: 'active' | 'retired'
  readonly created_by: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly retired_at: string | null
}

type OneOf = { readonly agent_id: string }

const columns = 'agent_id, name, origin, status, created_by, created_at, updated_at, retired_at'

// Agents of other workspaces and of the platform are as good as missing: neither stands under this key.
const one = (p: Named<OneOf & { brand_id: number }>) =>
  sql`select ${columns} from identity.agents where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`
const find = brandStatement<OneOf, AgentRow>(one)
const hold = brandStatement<OneOf, AgentRow>((p) => sql`${one(p)} for share`)

export const findAgent = (ctx: BrandCtx, agent_id: string) => ctx.db.first(find, { agent_id })
/** It stays as it is until the commit. */
export const lockAgent = (ctx: BrandTx, agent_id: string) => ctx.db.first(hold, { agent_id })
