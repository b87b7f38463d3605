import type { Preamble } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'

/**
 * Enters a brand for the rest of the transaction. With an epoch and an end, the transaction fails when the
 * epoch of the brand has moved on, the end has passed, or the session is not the one of that version any more.
 */
export const enterBrand = statement<
  {
    brand_id: number
    epoch: number | null
    until: string | null
    session: number | null
    session_version: number | null
  },
  unknown
>(
  (p) =>
    sql`select platform.enter_brand(${p.brand_id}, ${p.epoch}, ${p.until}, ${p.session}, ${p.session_version})`,
)

/** For work that belongs to no brand: sign-in, platform administration, jobs over all brands. */
export const seeAllBrands: Preamble = {
  statement: statement<never, unknown>(() => sql`select set_config('app.system', 'on', true)`),
  values: [],
}
