import { currentPasswordWrong, notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-passwords.contract.ts'

const find = statement<{ person_id: number }, { password_hash: string }>(
  (p) => sql`select password_hash from identity.passwords where person_id = ${p.person_id}`,
)
const set = statement<{ person_id: number; password_hash: string }, unknown>(
  (p) =>
    sql`update identity.passwords set password_hash = ${p.password_hash} where person_id = ${p.person_id}`,
)
const endOthers = statement<{ person_id: number; id: number }, unknown>(
  (p) => sql`delete from identity.sessions where person_id = ${p.person_id} and id <> ${p.id}`,
)

export const probePasswordsMounted = () => [
  handle(contract.naiveChangePassword, async (ctx, { body }) => {
    const { actor } = ctx
    if (actor.kind !== 'person') throw notAuthenticated()
    const { person_id, credential_id } = actor
    // In plain text: this is about the order of statements, and hashes would only take longer.
    const found = await ctx.db.first(find, { person_id })
    if (found?.password_hash !== body.current_password) throw currentPasswordWrong()
    const { password: password_hash } = body
    await ctx.tx(async (ctx) => {
      await ctx.db.run(set, { person_id, password_hash })
      await ctx.db.run(endOthers, { person_id, id: Number(credential_id) })
    })
    return { done: true as const }
  }),
]
