import { createHash } from 'node:crypto'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-device.contract.ts'

const findPending = statement<{ digest: string }, { id: string }>(
  (p) => sql`select id from identity.device_codes
   where user_digest = decode(${p.digest}, 'hex') and status = 'pending' and expires_at > platform.now()`,
)
const approve = statement<{ id: string; session_id: number }, unknown>(
  (p) =>
    sql`update identity.device_codes set status = 'approved', session_id = ${p.session_id} where id = ${p.id}`,
)
const findApproved = statement<{ digest: string }, { id: string }>(
  (p) => sql`select id from identity.device_codes
   where device_digest = decode(${p.digest}, 'hex') and status = 'approved' and expires_at > platform.now()`,
)
const startSession = statement<{ id: string }, unknown>(
  (p) => sql`insert into identity.sessions (token_hash, person_id, expires_at)
   select gen_random_uuid()::text, s.person_id, s.expires_at from identity.device_codes d
   join identity.sessions s on s.id = d.session_id where d.id = ${p.id}`,
)
const noteFetch = statement<{ id: string }, unknown>(
  (p) => sql`update identity.device_codes set status = 'redeemed' where id = ${p.id}`,
)

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

export const probeDeviceMounted = () => [
  handle(contract.naiveApproveDevice, (ctx, { body }) =>
    ctx.tx(async (ctx) => {
      const found = await ctx.db.first(findPending, { digest: digestOf(body.user_code) })
      if (!found || ctx.actor.kind !== 'person') throw contract.codeNotThere()
      await ctx.db.run(approve, { id: found.id, session_id: Number(ctx.actor.credential_id) })
      return { done: true as const }
    }),
  ),
  handle(contract.naivePollDevice, (ctx, { body }) =>
    ctx.tx(async (ctx) => {
      const found = await ctx.db.first(findApproved, { digest: digestOf(body.device_code) })
      if (!found) throw contract.codeNotThere()
      await ctx.db.run(startSession, found)
      await ctx.db.run(noteFetch, found)
      return { done: true as const }
    }),
  ),
]
