import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { changeProfileNaively } from './probe-profiles.contract.ts'

interface Row {
  readonly effort: string | null
  readonly limit_value: number | null
}
type OverrideRef = { brand_id: number; key: string }

const read = statement<OverrideRef, Row>(
  (p) => sql`select effort, limit_value from profiles.overrides where brand_id = ${p.brand_id}
     and profile_key = ${p.key}`,
)
const write = statement<OverrideRef & Row, unknown>(
  (p) => sql`insert into profiles.overrides (brand_id, profile_key, effort, limit_value)
     values (${p.brand_id}, ${p.key}, ${p.effort}, ${p.limit_value})
   on conflict (brand_id, profile_key) do update
     set effort = excluded.effort, limit_value = excluded.limit_value`,
)
const record = statement<
  OverrideRef & { field: string; old_value: unknown; new_value: unknown; person: number },
  unknown
>(
  (p) => sql`insert into profiles.changes (brand_id, profile_key, field, old_value, new_value, actor_user_id,
     actor_role)
   values (${p.brand_id}, ${p.key}, ${p.field}, ${p.old_value}, ${p.new_value}, ${p.person}, 'brand_admin')`,
)

export const probeProfilesMounted = () => [
  handle(changeProfileNaively, async (ctx, { params, body }) => {
    const place = { brand_id: ctx.brandId, key: params.key }
    const before = (await ctx.db.first(read, place)) ?? { effort: null, limit_value: null }
    const after = {
      effort: body.effort ?? before.effort,
      limit_value: body.limit_value ?? before.limit_value,
    }
    await ctx.db.run(write, { ...place, ...after })
    const person = ctx.actor.kind === 'person' ? ctx.actor.person_id : 0
    for (const field of ['effort', 'limit_value'] as const) {
      if (before[field] === after[field]) continue
      await ctx.db.run(record, { ...place, field, old_value: before[field], new_value: after[field], person })
    }
    return {}
  }),
]
