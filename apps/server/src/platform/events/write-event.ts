import { type WorkspaceEvent, workspaceEvents } from '@crewhall/contracts/events.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import type { Queryable } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'
import type { KeptEvent, LogPosition, NewEvent } from '#platform/events/workspace-event.ts'

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
const write = statement<Written, LogPosition>(
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
  if (actor.kind === 'desk') return { kind: 'desk', id: actor.desk_id }
  if (actor.kind !== 'person') return { kind: actor.kind, id: null }
  return { kind: actor.agent === null ? 'person' : 'agent', id: String(actor.person_id) }
}
