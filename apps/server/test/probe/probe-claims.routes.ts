import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { claimNaively, heldAlready } from './probe-claims.contract.ts'

type Card = { brand_id: number; id: string }

const look = sqlStatement<Card, { is_claimed: boolean }>(
  `select coalesce(claim_expires_at > platform.now(), false) as is_claimed from boards.cards
   where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
const take = sqlStatement<Card & { worker: string }, { epoch: number }>(
  `update boards.cards set claim_id = gen_random_uuid(), claim_epoch = claim_epoch + 1,
     claim_holder = jsonb_build_object('kind', 'agent', 'id', $3::text, 'name', $3::text, 'on_behalf_of', null),
     claim_expires_at = platform.clock_now() + interval '15 minutes'
   where brand_id = $1 and id = $2 returning claim_epoch as epoch`,
  'brand_id',
  'id',
  'worker',
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
