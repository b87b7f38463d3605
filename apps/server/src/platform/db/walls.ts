import type { Preamble } from '#platform/db/database.ts'
import { sqlStatement } from '#platform/db/statement.ts'

/**
 * Enters a brand for the rest of the transaction. With an epoch and an end, the transaction fails when the
 * epoch of the brand has moved on, the end has passed, or the session is not the one of that version any more.
 */
export const enterBrand = sqlStatement<
  {
    brand_id: number
    epoch: number | null
    until: string | null
    session: number | null
    session_version: number | null
  },
  unknown
>(
  'select platform.enter_brand($1, $2, $3, $4, $5)',
  'brand_id',
  'epoch',
  'until',
  'session',
  'session_version',
)

/** For work that belongs to no brand: sign-in, platform administration, jobs over all brands. */
export const seeAllBrands: Preamble = {
  statement: sqlStatement<never, unknown>(`select set_config('app.system', 'on', true)`),
  values: [],
}
