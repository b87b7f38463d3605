import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

// Counted before sending, under the lock of the row, so that concurrent senders cannot exceed the limit.
const count = statement<{ key: string; limit: number; hours: number }, { key: string }>(
  (p) => sql`insert into identity.attempt_limits as a (key, window_end, failures)
   values (${p.key}, platform.now() + make_interval(hours => ${p.hours}), 1)
   on conflict (key) do update set
     failures = case when a.window_end <= platform.now() then 1 else a.failures + 1 end,
     window_end = case when a.window_end <= platform.now() then excluded.window_end else a.window_end end
   where a.window_end <= platform.now() or a.failures < ${p.limit}
   returning key`,
)
const wait = statement<{ key: string }, { seconds: number }>(
  (p) => sql`select greatest(1, ceil(extract(epoch from window_end - platform.now())))::int as seconds
   from identity.attempt_limits where key = ${p.key}`,
)

/** False when the limit is reached. */
export const updateCount = async (
  ctx: BrandCtx,
  counted: { key: string; limit: number; hours: number },
): Promise<boolean> => (await ctx.db.first(count, counted)) !== undefined
export const findWait = async (ctx: BrandCtx, key: string): Promise<number> =>
  (await ctx.db.first(wait, { key }))?.seconds ?? 1
