import { z } from 'zod'
import { route } from '../route.ts'
import { Uuid, words } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { cardTaskTypes, priorities } from './card-fields.ts'
import { Claim, claimLost, claimWish } from './claims.ts'
import { CardContext, maxBudgetBytes, minBudgetBytes } from './context.ts'
import { Missing, workWiths } from './knew.ts'
import * as refused from './refusals.ts'
import { Run } from './runs.ts'

const WorkWish = z
  .object({
    ...claimWish,
    /** Only cards of these boards; all boards of the workspace by default. */
    board_ids: z.array(Uuid).min(1).max(200).optional(),
    task_type: z.enum(cardTaskTypes).optional(),
    priorities: z.array(z.enum(priorities)).min(1).max(priorities.length).optional(),
    /** Cards with any of these. */
    labels: z.array(words(50)).min(1).max(20).optional(),
    /** What the context holds besides the card, as far as there is room. */
    with: z.array(z.enum(workWiths)).max(workWiths.length).optional(),
    /** Of the context. */
    budget_bytes: z.int().min(minBudgetBytes).max(maxBudgetBytes).default(4096),
  })
  .default({ lease_seconds: 900, budget_bytes: 4096 })
export type WorkWish = z.infer<typeof WorkWish>

export const nextWork = route({
  ...boardFamily,
  id: 'boards.nextWork',
  method: 'POST',
  path: '/api/v1/board/work:next',
  summary: 'Claim the most urgent ready card of all boards, start a run, and get the context',
  description:
    'For agents looking for work, over all boards or some. The card with the highest priority comes first, then the one that is due first, then the one that is higher in its column. Two callers never get the same card. `context` is that of `GET tasks/{task_id}/context`. `with` adds up to 10 lessons near the code that the card names, and up to 10 memories that the agent of the token has about it; `missing` says why some are not there, such as a scope that the token lacks (`memory:read`, and `code:read` for lessons) or a part of the service that is away. If there is no work, all three are null. A card whose lease has expired is offered again within a minute.',
  example: { body: { lease_seconds: 300, worker: 'builder-1', budget_bytes: 4096 } },
  body: WorkWish,
  resources: { 'body.board_ids': 'board' },
  responses: {
    200: z.object({
      claim: Claim.nullable(),
      run: Run.nullable(),
      context: CardContext.nullable(),
      /** Only if something was asked for in `with` and cannot be told, or not as usual. */
      missing: Missing.optional(),
    }),
  },
  refusals: [refused.boardNotFound, claimLost],
})
