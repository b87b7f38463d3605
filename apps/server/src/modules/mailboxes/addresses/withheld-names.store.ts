import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { type Parameter, sql, statement } from '#platform/db/statement.ts'

type Named = { readonly name: string }
type OfPerson = { readonly person_id: number }

const digest = (name: string | Parameter) => sql`sha256(convert_to('mail name: ' || ${name}::text, 'UTF8'))`

const find = statement<Named, unknown>(
  (p) =>
    sql`select 1 from mailboxes.withheld_names where digest = ${digest(p.name)} and withheld_until > platform.now()`,
)
// A name that forwards, or was given back, keeps its time; the one in use is withheld as long as if given back now.
const withhold = statement<OfPerson & { hours: number }, unknown>(
  (p) => sql`insert into mailboxes.withheld_names as held (digest, withheld_until)
   select ${digest('name')}, coalesce(quarantined_until, platform.now() + make_interval(hours => ${p.hours}))
   from mailboxes.names where person_id = ${p.person_id}
   on conflict (digest) do update set withheld_until = greatest(held.withheld_until, excluded.withheld_until)`,
)
const endNames = statement<OfPerson, unknown>(
  (p) => sql`delete from mailboxes.names where person_id = ${p.person_id}`,
)
const endName = statement<Named, unknown>((p) => sql`delete from mailboxes.names where name = ${p.name}`)
const endMailbox = statement<OfPerson, unknown>(
  (p) => sql`delete from mailboxes.mailboxes where person_id = ${p.person_id}`,
)
const all = statement<OfPerson, Named>(
  (p) => sql`select name from mailboxes.names where person_id = ${p.person_id}`,
)
const sweep = statement<{ limit: number }, unknown>(
  (p) => sql`delete from mailboxes.withheld_names where digest in (
     select digest from mailboxes.withheld_names where withheld_until <= platform.now()
     order by withheld_until limit ${p.limit} for update skip locked)`,
)

export const isWithheld = async (ctx: SystemCtx | BrandTx, name: string): Promise<boolean> =>
  (await ctx.db.first(find, { name })) !== undefined
export const insertWithheld = (ctx: SystemTx, person_id: number, hours: number) =>
  ctx.db.run(withhold, { person_id, hours })
export const deleteNamesOf = (ctx: SystemTx, person_id: number) => ctx.db.run(endNames, { person_id })
export const deleteName = (ctx: SystemTx | BrandTx, name: string) => ctx.db.run(endName, { name })
export const deleteMailbox = (ctx: SystemTx, person_id: number) => ctx.db.run(endMailbox, { person_id })
export const listNamesOf = async (ctx: SystemCtx, person_id: number): Promise<string[]> =>
  (await ctx.db.all(all, { person_id })).map(({ name }) => name)
export const deleteEndedWithheld = (ctx: SystemCtx, limit: number) => ctx.db.run(sweep, { limit })
