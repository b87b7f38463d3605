import { randomUUID } from 'node:crypto'
import { notAuthenticated, tokenLimit } from '@crewhall/contracts/identity/refusals.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-tokens.contract.ts'

const countLive = statement<{ brand_id: number; person_id: number }, { count: number }>(
  (p) => sql`select count(*)::int as count from identity.tokens
   where brand_id = ${p.brand_id} and person_id = ${p.person_id} and revoked_at is null
     and expires_at > platform.now()`,
)
const insertToken = statement<{ brand_id: number; id: string; person_id: number }, unknown>(
  (p) => sql`insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes,
     expires_at)
   values (${p.brand_id}, ${p.id}::uuid, ${p.person_id}, 'naive', 'abcd',
     decode(replace(${p.id}::uuid::text, '-', ''), 'hex'), '{}', platform.now() + interval '90 days')`,
)

export const probeTokensMounted = () => [
  handle(contract.naiveIssueToken, (ctx) => {
    const { actor, brandId: brand_id } = ctx
    if (actor.kind !== 'person') throw notAuthenticated()
    const { person_id } = actor
    return ctx.tx(async (ctx) => {
      const live = (await ctx.db.first(countLive, { brand_id, person_id }))?.count ?? 0
      if (live >= 100) throw tokenLimit()
      const id = randomUUID()
      await ctx.db.run(insertToken, { brand_id, id, person_id })
      await ctx.audit({ action: 'token.issued', target: `token:${id}`, from: null, to: null })
      return { done: true as const }
    })
  }),
]
