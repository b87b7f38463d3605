import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface PlatformEntryRow {
  readonly id: string
  readonly action: string
  readonly person_id: number | null
  readonly old_value: unknown
  readonly new_value: unknown
  readonly actor_kind: 'person' | 'admin_key' | 'system' | 'nobody'
  readonly actor_person_id: number | null
  readonly network: string | null
  readonly request_id: string | null
  readonly created_at: string
}

type Written = Omit<PlatformEntryRow, 'id' | 'created_at' | 'old_value' | 'new_value'> & {
  readonly old_value: string | null
  readonly new_value: string | null
}

const columns = `id::text, action, person_id, old_value, new_value, actor_kind, actor_person_id, network, request_id,
   created_at`

const add = statement<Written, unknown>(
  (p) => sql`insert into identity.platform_entries
     (action, person_id, old_value, new_value, actor_kind, actor_person_id, network, request_id)
   values (${p.action}, ${p.person_id}, ${p.old_value}::jsonb, ${p.new_value}::jsonb,
     ${p.actor_kind}, ${p.actor_person_id}, ${p.network}, ${p.request_id})`,
)
interface Page {
  readonly before: number
  readonly limit: number
}
const newest = statement<Page, PlatformEntryRow>(
  (p) => sql`select ${columns} from identity.platform_entries where id < ${p.before}
     order by platform_entries.id desc limit ${p.limit}`,
)
const newestOf = statement<Page & { person_id: number }, PlatformEntryRow>(
  (p) => sql`select ${columns} from identity.platform_entries
   where person_id = ${p.person_id} and id < ${p.before} order by platform_entries.id desc limit ${p.limit}`,
)
const sweep = statement<{ months: number; bite: number }, { swept: number }>(
  (p) => sql`select identity.sweep_platform_entries(${p.months}, ${p.bite}) as swept`,
)

export const insertPlatformEntry = (ctx: SystemCtx, entry: Written) => ctx.db.run(add, entry)
export const listPlatformEntries = (ctx: SystemCtx, page: Page, person_id: number | undefined) =>
  person_id === undefined ? ctx.db.all(newest, page) : ctx.db.all(newestOf, { ...page, person_id })
export const deleteOldEntries = async (ctx: SystemCtx, months: number, bite: number) =>
  (await ctx.db.first(sweep, { months, bite }))?.swept ?? 0
