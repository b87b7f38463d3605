import { type WorkspaceEvent, workspaceEvents } from '@crewhall/contracts/events.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Queryable } from '#platform/db/database.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { KeptEvent, NewEvent } from '#platform/events/workspace-event.ts'

/** How far a reader has come in the log of a workspace: after this event. */
export interface LogPlace {
  readonly created_at: string
  readonly id: string
}

interface Written {
  readonly brand_id: number
  readonly type: string
  readonly subject_kind: string
  readonly subject_id: string
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly data: string
}

// The mark of the workspace is held until the commit, so times rise in the order of commits and a reader that resumes
// after one misses nothing, also when the clock is set back.
const write = statement<Written, LogPlace>(
  (p) => sql`with mark as (
     insert into platform.event_marks as m (brand_id, last_at) values (${p.brand_id}, platform.clock_now())
     on conflict (brand_id) do update
       set last_at = greatest(platform.clock_now(), m.last_at + interval '1 microsecond')
     returning last_at)
   insert into platform.workspace_events
     (brand_id, created_at, type, subject_kind, subject_id, actor_kind, actor_id, data)
   select ${p.brand_id}, last_at, ${p.type}, ${p.subject_kind}, ${p.subject_id}, ${p.actor_kind}, ${p.actor_id},
     ${p.data}::jsonb from mark
   returning created_at, id::text as id`,
)

/** Part of the change's transaction: both commit or neither does. */
export async function writeEvent(
  db: Queryable,
  { brand_id, actor }: { brand_id: number; actor: Actor },
  { type, subject_id, data }: NewEvent,
): Promise<KeptEvent> {
  const spec = workspaceEvents[type]
  const by = actorOf(actor)
  // Parsed, so that nothing gets into an event that its contract does not name.
  const parsed = spec.data.parse(data)
  const made = await db.first(write, {
    brand_id,
    type,
    subject_kind: spec.subject,
    subject_id,
    actor_kind: by.kind,
    actor_id: by.id,
    data: JSON.stringify(parsed),
  })
  if (!made) throw new Error('an event was not written')
  const { id, created_at } = made
  const subject = { kind: spec.subject, id: subject_id }
  const told: WorkspaceEvent = { id, type, created_at, subject, actor: by, data: parsed }
  return { id, type, created_at, board_id: null, data: told }
}

function actorOf(actor: Actor): WorkspaceEvent['actor'] {
  if (actor.kind === 'system') return { kind: 'system', id: actor.name }
  if (actor.kind !== 'person') return { kind: actor.kind, id: null }
  return { kind: actor.agent === null ? 'person' : 'agent', id: String(actor.person_id) }
}

interface EventRow extends LogPlace {
  readonly type: string
  readonly subject_kind: string
  readonly subject_id: string
  readonly actor_kind: WorkspaceEvent['actor']['kind']
  readonly actor_id: string | null
  readonly data: Record<string, unknown>
}

// The place and the mark say which months to open.
const after = brandStatement<LogPlace & { limit: number }, EventRow>(
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
const last = brandStatement<object, LogPlace>(
  (p) => sql`select '9223372036854775807' as id,
     coalesce((select m.last_at from platform.event_marks m where m.brand_id = ${p.brand_id}), to_timestamp(0))
       as created_at`,
)

/** What happened in a workspace outside of its boards, oldest first. */
export interface EventLog {
  /** Where it ends now. */
  end(ctx: BrandCtx): Promise<LogPlace>
  listAfter(ctx: BrandCtx, page: LogPlace & { limit: number }): Promise<WorkspaceEvent[]>
}

export const eventLog: EventLog = {
  async end(ctx) {
    const found = await ctx.db.first(last, {})
    if (!found) throw new Error('a log has an end')
    return found
  },
  listAfter: async (ctx, page) => (await ctx.db.all(after, page)).map(present),
}
