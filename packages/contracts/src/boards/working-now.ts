import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { SummaryCard } from './card-fields.ts'
import { Claim } from './claims.ts'
import { Run } from './runs.ts'

export const unknownWorkingCursor = refusal(400, 'cursor: must be a next_cursor of this list')

/** A card that somebody works on, with the run that goes on. */
const WorkingCard = z
  .object({
    ...SummaryCard.pick({ id: true, ref: true, title: true, status: true, source: true }).shape,
    board_id: Uuid,
    /** Name of the board. */
    board: z.string(),
    claim: Claim.omit({ task_id: true }),
    claimed_at: Timestamp,
    /** Of this claim; null if its worker has started none, or ended it. */
    run: Run.pick({ id: true, number: true, started_at: true, usage: true })
      .extend({
        /** The last line of its summary. */
        line: z.string().max(200),
      })
      .nullable(),
    /** Of all runs of the card so far. */
    usage: Run.shape.usage,
  })
  .meta({ id: 'WorkingCard' })
export type WorkingCard = z.infer<typeof WorkingCard>

export const listWorkingNow = route({
  ...boardFamily,
  id: 'boards.listWorkingNow',
  method: 'GET',
  path: '/api/v1/board/working-now',
  summary: 'List the cards that are worked on now, over all boards',
  description:
    'Cards with an active claim, those claimed first first. Each has its worker, the end and epoch of its lease, the last line of its run, and what it has used so far. Cards of archived boards are omitted. `cursor` continues after an earlier page; an unknown parameter gets 400 with the known names.',
  example: { query: { limit: '5' } },
  query: z.strictObject({ cursor: z.string().min(1).max(500).optional(), limit: pageLimit() }),
  responses: {
    200: z.object({ items: z.array(WorkingCard), next_cursor: z.string().nullable() }),
  },
  refusals: [unknownWorkingCursor],
})
