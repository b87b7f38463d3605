import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { naiveRename, nameHeld } from './probe-mail.contract.ts'

const current = statement<{ person_id: number }, { name: string }>(
  (p) => sql`select name from probe.mail_names where person_id = ${p.person_id} and is_current limit 1`,
)
const holder = statement<{ name: string }, { person_id: number }>(
  (p) => sql`select person_id from probe.mail_names where name = ${p.name} limit 1`,
)
const retire = statement<{ person_id: number; name: string }, unknown>(
  (p) => sql`update probe.mail_names set is_current = false where person_id = ${p.person_id}
     and name = ${p.name}`,
)
const revive = statement<{ person_id: number; name: string }, unknown>(
  (p) =>
    sql`update probe.mail_names set is_current = true where person_id = ${p.person_id} and name = ${p.name}`,
)
const add = statement<{ person_id: number; name: string }, unknown>(
  (p) =>
    sql`insert into probe.mail_names (person_id, name, is_current) values (${p.person_id}, ${p.name}, true)`,
)

// The same steps as the product's, without its lock and its keys.
export const probeMailMounted = () => [
  handle(naiveRename, async (ctx, { body: { name } }) => {
    if (ctx.actor.kind !== 'person') throw notAuthenticated()
    const { person_id } = ctx.actor
    const old = await ctx.db.first(current, { person_id })
    if (old?.name === name) throw nameHeld()
    const held = await ctx.db.first(holder, { name })
    if (held && held.person_id !== person_id) throw nameHeld()
    if (old) await ctx.db.run(retire, { person_id, name: old.name })
    await ctx.db.run(held ? revive : add, { person_id, name })
    return { name }
  }),
]
