import type { WorkspaceEvent } from '@crewhall/contracts/events.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { LogPosition } from '#platform/events/workspace-event.ts'

interface EventRow extends LogPosition {
  readonly type: string
  readonly subject_kind: string
  readonly subject_id: string
  readonly actor_kind: WorkspaceEvent['actor']['kind']
  readonly actor_id: string | null
  readonly data: Record<string, unknown>
}

// The place and the mark say which months to open.
const after = brandStatement<LogPosition & { limit: number }, EventRow>(
  (p) => sql`select id::text as id, created_at, type, subject_kind, subject_id, actor_kind, actor_id, data
   from platform.workspace_events
   where brand_id = ${p.brand_id}
     and (created_at, workspace_events.id) > (${p.created_at}::timestamptz, ${p.id}::bigint)
     and created_at >= ${p.created_at}::timestamptz
     and created_at <= (select m.last_at from platform.event_marks m where m.brand_id = ${p.brand_id})
   order by created_at, workspace_events.id limit ${p.limit}`,
)

const present = ({ subject_kind, subject_id, actor_kind, actor_id, ...row }: EventRow): WorkspaceEvent => ({
  id: row.id,
  type: row.type,
  created_at: row.created_at,
  subject: { kind: subject_kind, id: subject_id },
  actor: { kind: actor_kind, id: actor_id },
  data: row.data,
})

// An event of this very time that commits later has a later one: it waits for the mark.
const last = brandStatement<object, LogPosition>(
  (p) => sql`select '9223372036854775807' as id,
     coalesce((select m.last_at from platform.event_marks m where m.brand_id = ${p.brand_id}), to_timestamp(0))
       as created_at`,
)

/** What happened in a workspace outside of its boards, oldest first. */
export interface EventLog {
  /** Where it ends now. */
  end(ctx: BrandCtx): Promise<LogPosition>
  listAfter(ctx: BrandCtx, page: LogPosition & { limit: number }): Promise<WorkspaceEvent[]>
}

export const eventLog: EventLog = {
  async end(ctx) {
    const found = await ctx.db.first(last, {})
    if (!found) throw new Error('a log has an end')
    return found
  },
  listAfter: async (ctx, page) => (await ctx.db.all(after, page)).map(present),
}
