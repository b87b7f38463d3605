import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { NewEvent } from '#platform/events/workspace-event.ts'
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
  handle(probeEventRoutes.emitTrouble, (ctx, { body: { type, id } }) =>
    ctx.tx(async (ctx) => {
      await ctx.emit(troubleOf(type, id))
      return { id }
    }),
  ),
]

function troubleOf(type: string, subject_id: string): NewEvent {
  const agent_id = 'bot'
  if (type === 'memory.conflict')
    return { type, subject_id, data: { agent_id, proposal_id: subject_id, other_memory_id: null } }
  if (type === 'conversation.failed')
    return { type, subject_id, data: { source_id: subject_id, agent_id, attempts: 5 } }
  const data = { workstation_id: subject_id, status: 'unreachable' } as const
  return { type: type === 'desk.lost' ? type : 'desk.update_failed', subject_id, data }
}
