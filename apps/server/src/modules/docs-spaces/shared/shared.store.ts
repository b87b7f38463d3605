import type { SharedSpace } from '@crewhall/contracts/docs-spaces/shared.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

const columns = 's.id, s.brand_id, s.name, g.role, g.added_at'
const joined =
  'docs_spaces.guests g join docs_spaces.spaces s on s.brand_id = g.brand_id and s.id = g.space_id'

const list = statement<{ person_id: number; after: string; limit: number }, SharedSpace>(
  (p) => sql`select ${columns} from ${joined}
   where g.person_id = ${p.person_id} and g.space_id > ${p.after} order by g.space_id limit ${p.limit}`,
)
const one = statement<{ person_id: number; space_id: string }, SharedSpace>(
  (p) =>
    sql`select ${columns} from ${joined} where g.person_id = ${p.person_id} and g.space_id = ${p.space_id}`,
)

// Over all workspaces, and only what is shared with that person: a guest belongs to none of them.
export const listShared = (ctx: SystemCtx, wanted: { person_id: number; after: string; limit: number }) =>
  ctx.overBrands().db.all(list, wanted)
export const findShared = (ctx: SystemCtx, person_id: number, space_id: string) =>
  ctx.overBrands().db.first(one, { person_id, space_id })
