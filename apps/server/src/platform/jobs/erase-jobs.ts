import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { ErasurePart } from '#platform/erasure/erasure-part.ts'

interface JobRef {
  readonly name: string
  readonly id: string
}

// Of what a job left behind only whether it went well is of use; a mail server may have repeated the address.
const next = statement<
  JobRef & { bite: number; actor: string; person: number; words: readonly string[] },
  JobRef & { is_at_work: boolean }
>(
  (p) => sql`with bitten as materialized (
     select name, id, state, data::text ~ ${p.actor} as is_named,
       exists (select from unnest(${p.words}::text[]) w where position(w in lower(concat(data, output))) > 0) as is_told
     from pgboss.job where (name, id) > (${p.name}, ${p.id}::uuid) order by name, id limit ${p.bite}),
   redacted as (
     update pgboss.job j set data = platform.without_person(j.data, ${p.person}, ${p.words}::text[]),
       output = case when b.is_told then null else j.output end
     from bitten b where j.name = b.name and j.id = b.id and (b.is_named or b.is_told) and b.state <> 'active')
   select name, id, (select bool_or(state = 'active' and is_named) from bitten) as is_at_work from bitten
   order by name desc, bitten.id desc limit 1`,
)
const ofBrand = brandStatement<{ limit: number }, unknown>(
  (p) => sql`delete from pgboss.job where (name, id) in (
     select name, id from pgboss.job where state <> 'active' and data #> '{payload,brand_id}' = to_jsonb(${p.brand_id}::int)
     limit ${p.limit})`,
)

const bite = 2000
const nobody = '00000000-0000-0000-0000-000000000000'
const waitSeconds = 5

/** Payloads of jobs, also of those that gave up. One that is being done may still write the name, so it is waited for. */
export const jobsErasure: ErasurePart = {
  part: 'jobs',
  async person(ctx, { id: person, addresses: words }, position) {
    const [name, id] = position ? JSON.parse(position) : ['', nobody]
    const last = await ctx.db.first(next, { name, id, bite, actor: `"id": "${person}"`, person, words })
    if (last?.is_at_work) return { wait_seconds: waitSeconds }
    return last && JSON.stringify([last.name, last.id])
  },
  async brand(ctx) {
    return (await ctx.db.run(ofBrand, { limit: bite })) === bite ? 'more' : undefined
  },
}
