import { maxGrantsPerHour, maxHiresPerHour } from '@crewhall/contracts/hires/refusals.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

interface Wait {
  /** Until there is room for one more. */
  readonly wait_seconds: number
}

const clock = 'with clock as materialized (select platform.clock_now() as now)'
const wait = `ceil(extract(epoch from created_at + interval '1 hour' - clock.now))::int as wait_seconds`
const isCounted = `created_at > clock.now - interval '1 hour'`

// The row that has to leave the hour before there is room; none while there is.
const hires = brandStatement<object, Wait>(
  (p) => sql`${clock} select ${wait} from clock, hires.hires
   where brand_id = ${p.brand_id} and not is_grant and ${isCounted}
   order by created_at desc offset ${String(maxHiresPerHour - 1)} limit 1`,
)

type Admin = { readonly admin: string }
const lock = statement<Admin, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtextextended('hires.grants:' || ${p.admin}::text, 0))`,
)
const forget = statement<Admin, unknown>(
  (p) => sql`${clock} delete from hires.grants using clock where admin = ${p.admin} and not (${isCounted})`,
)
const grants = statement<Admin, Wait>(
  (p) => sql`${clock} select ${wait} from clock, hires.grants
   where admin = ${p.admin} and ${isCounted}
   order by created_at desc offset ${String(maxGrantsPerHour - 1)} limit 1`,
)
const note = statement<Admin & { hire_id: string }, unknown>(
  (p) => sql`insert into hires.grants (admin, created_at, hire_id)
   values (${p.admin}, platform.clock_now(), ${p.hire_id})`,
)

/** Under the lock of the subscription, so that those who count take turns. */
export const findHireWait = async (ctx: BrandTx) => (await ctx.db.first(hires, {}))?.wait_seconds
/** Whoever counts or notes grants of this admin waits until the end of the transaction. Last of all locks. */
export const lockGrants = (ctx: BrandTx, admin: string) => ctx.db.run(lock, { admin })
export const findGrantWait = async (ctx: BrandTx, admin: string) =>
  (await ctx.db.first(grants, { admin }))?.wait_seconds
/** What no longer counts goes with it, so that an admin never has more than 50 rows. */
export async function insertGrant(ctx: BrandTx, admin: string, hire_id: string): Promise<void> {
  await ctx.db.run(forget, { admin })
  await ctx.db.run(note, { admin, hire_id })
}
