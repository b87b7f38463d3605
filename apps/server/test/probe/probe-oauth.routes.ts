import { createHash } from 'node:crypto'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-oauth.contract.ts'

interface Unused {
  readonly brand_id: number
  readonly token_id: string
}

const findUnused = statement<{ digest: string }, Unused>(
  (p) => sql`select brand_id, token_id from identity.oauth_secrets
   where digest = decode(${p.digest}, 'hex') and used_at is null`,
)
const insertAccess = statement<Unused, unknown>(
  (
    p,
  ) => sql`insert into identity.tokens (brand_id, id, person_id, name, kind, last_four, token_hash, scopes, issued_by,
     expires_at)
   select c.brand_id, gen_random_uuid(), c.person_id, 'naive', 'access', 'abcd', uuid_send(gen_random_uuid()), '{}', c.id,
     c.expires_at from identity.tokens c where c.brand_id = ${p.brand_id} and c.id = ${p.token_id}`,
)
const noteUse = statement<{ digest: string }, unknown>(
  (p) =>
    sql`update identity.oauth_secrets set used_at = platform.now() where digest = decode(${p.digest}, 'hex')`,
)

export const probeOAuthMounted = () => [
  handle(contract.naiveRedeem, (ctx, { body }) => {
    const digest = createHash('sha256').update(body.code).digest('hex')
    return ctx.overBrands().tx(async (ctx) => {
      const unused = await ctx.db.first(findUnused, { digest })
      if (!unused) throw contract.codeUsed()
      await ctx.db.run(insertAccess, unused)
      await ctx.db.run(noteUse, { digest })
      return { done: true as const }
    })
  }),
]
