import type { Preamble } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface Shown {
  readonly brand_id: number
  readonly epoch: number | null
  readonly until: string | null
  readonly session: number | null
  readonly session_version: number | null
}

/**
 * Enters a brand for the rest of the transaction. With an epoch and an end, the transaction fails when the
 * epoch of the brand has moved on, the end has passed, or the session is not the one of that version any more.
 */
export const enterBrand = statement<Shown, unknown>(
  (p) =>
    sql`select platform.enter_brand(${p.brand_id}, ${p.epoch}, ${p.until}, ${p.session}, ${p.session_version})`,
)

/** The same for a transaction that must not commit after its caller has been told that it took too long. */
export const enterBrandUntil = statement<Shown & { commit_by: string; commit_within_ms: number }, unknown>(
  (p) =>
    sql`select platform.enter_brand(${p.brand_id}, ${p.epoch}, ${p.until}, ${p.session}, ${p.session_version}), platform.limit_commit(${p.commit_by}, ${p.commit_within_ms})`,
)

/** For work that belongs to no brand: sign-in, platform administration, jobs over all brands. */
export const seeAllBrands: Preamble = {
  statement: statement<never, unknown>(() => sql`select set_config('app.system', 'on', true)`),
  values: [],
}
