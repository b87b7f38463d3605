import { randomUUID } from 'node:crypto'
import { notAuthenticated, tokenLimit } from '@crewhall/contracts/identity/refusals.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-tokens.contract.ts'

const countLive = sqlStatement<{ brand_id: number; person_id: number }, { count: number }>(
  `select count(*)::int as count from identity.tokens
   where brand_id = $1 and person_id = $2 and revoked_at is null and expires_at > platform.now()`,
  'brand_id',
  'person_id',
)
const insertToken = sqlStatement<{ brand_id: number; id: string; person_id: number }, unknown>(
  `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at)
   values ($1, $2::uuid, $3, 'naive', 'abcd', decode(replace($2::uuid::text, '-', ''), 'hex'), '{}',
     platform.now() + interval '90 days')`,
  'brand_id',
  'id',
  'person_id',
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
