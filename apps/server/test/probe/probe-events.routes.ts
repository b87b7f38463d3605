import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { probeEventRoutes } from './probe-events.contract.ts'

/** What a real change does between its event and its commit. */
const work = statement<object, unknown>(() => sql`select pg_sleep(random() * 0.02)`)
// The mark says to readers how far to look, as the real one does, in a transaction that holds it no longer than this.
const mark = brandStatement<object, unknown>(
  (
    p,
  ) => sql`insert into platform.event_marks as m (brand_id, last_at) values (${p.brand_id}, platform.clock_now())
   on conflict (brand_id) do update set last_at = greatest(platform.clock_now(), m.last_at)`,
)
const write = brandStatement<{ subject_id: string }, unknown>(
  (p) => sql`insert into platform.workspace_events
     (brand_id, created_at, type, subject_kind, subject_id, actor_kind, data)
   values (${p.brand_id}, platform.clock_now(), 'member.added', 'member', ${p.subject_id}, 'nobody', '{}')`,
)

export const probeEventsMounted = () => [
  handle(probeEventRoutes.emitEvent, (ctx, { body: { subject_id } }) =>
    ctx.tx(async (ctx) => {
      await ctx.emit({
        type: 'member.added',
        subject_id,
        data: { user_id: 1, role: 'member', via: 'invitation' },
      })
      await ctx.db.run(work, {})
      return { subject_id }
    }),
  ),
  handle(probeEventRoutes.emitNaively, async (ctx, { body: { subject_id } }) => {
    await ctx.tx(async (ctx) => {
      await ctx.db.run(write, { subject_id })
      await ctx.db.run(work, {})
    })
    await ctx.db.run(mark, {})
    return { subject_id }
  }),
]
