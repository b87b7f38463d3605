import { z } from 'zod'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { inBoard } from './boards.ts'
import { cardStatuses } from './card-fields.ts'

export const BoardStats = z
  .object({
    board_id: Uuid,
    /** Cards that are not archived. */
    card_count: z.int(),
    columns: z.array(
      z.object({ id: Uuid, name: z.string(), status: z.enum(cardStatuses), card_count: z.int() }),
    ),
    /** Cards with an active claim. */
    claimed: z.int(),
    /** Open cards with an open blocker. */
    blocked: z.int(),
    /** Cards that were done within the last seven days, and are still done. */
    done_last_7_days: z.int(),
  })
  .meta({ id: 'BoardStats' })
export type BoardStats = z.infer<typeof BoardStats>

export const getBoardStats = route({
  ...inBoard,
  id: 'boards.getBoardStats',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/stats',
  summary: 'Count the cards of a board: per column, claimed, blocked, recently done',
  description: 'Archived cards are not counted.',
  example: {},
  responses: { 200: BoardStats },
})
