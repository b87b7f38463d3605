import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { naiveRename, nameHeld } from './probe-mail.contract.ts'

const current = sqlStatement<{ person_id: number }, { name: string }>(
  'select name from probe.mail_names where person_id = $1 and is_current limit 1',
  'person_id',
)
const holder = sqlStatement<{ name: string }, { person_id: number }>(
  'select person_id from probe.mail_names where name = $1 limit 1',
  'name',
)
const retire = sqlStatement<{ person_id: number; name: string }, unknown>(
  'update probe.mail_names set is_current = false where person_id = $1 and name = $2',
  'person_id',
  'name',
)
const revive = sqlStatement<{ person_id: number; name: string }, unknown>(
  'update probe.mail_names set is_current = true where person_id = $1 and name = $2',
  'person_id',
  'name',
)
const add = sqlStatement<{ person_id: number; name: string }, unknown>(
  'insert into probe.mail_names (person_id, name, is_current) values ($1, $2, true)',
  'person_id',
  'name',
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
