import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { claimNaively, heldAlready } from './probe-claims.contract.ts'

type Card = { brand_id: number; id: string }

const look = statement<Card, { is_claimed: boolean }>(
  (p) => sql`select coalesce(claim_expires_at > platform.now(), false) as is_claimed from boards.cards
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const take = statement<Card & { worker: string }, { epoch: number }>(
  (p) => sql`update boards.cards set claim_id = gen_random_uuid(), claim_epoch = claim_epoch + 1,
     claim_holder = jsonb_build_object('kind', 'agent', 'id', ${p.worker}::text, 'name', ${p.worker}::text,
       'on_behalf_of', null), claim_expires_at = platform.clock_now() + interval '15 minutes'
   where brand_id = ${p.brand_id} and id = ${p.id} returning claim_epoch as epoch`,
)

export const probeClaimsMounted = () => [
  handle(claimNaively, (ctx, { params, body }) =>
    ctx.tx(async (ctx) => {
      const card = { brand_id: ctx.brandId, id: params.task_id }
      const found = await ctx.db.first(look, card)
      if (found?.is_claimed) throw heldAlready()
      const taken = await ctx.db.first(take, { ...card, worker: body.worker })
      return { epoch: taken?.epoch ?? 0 }
    }),
  ),
]
