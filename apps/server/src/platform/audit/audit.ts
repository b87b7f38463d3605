import type { Actor } from '#platform/ctx/actor.ts'
import type { Queryable } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'

/** One change of a setting. Admins read the values later, so they never contain a password, a link or a token. */
export interface AuditEntry {
  /** `<noun>.<past participle>`, such as `member.role_changed`. */
  readonly action: string
  /** What was changed, such as `member:12` or `feature:crm`. */
  readonly target: string
  readonly from: unknown
  readonly to: unknown
}

interface Written {
  readonly brand_id: number
  readonly action: string
  readonly target: string
  readonly old_value: string | null
  readonly new_value: string | null
  readonly actor_kind: string
  readonly actor_person_id: number | null
  readonly actor_name: string | null
  readonly credential: string | null
  readonly credential_id: string | null
  readonly request_id: string | null
  readonly actor_agent: string | null
  readonly actor_agent_id: string | null
}

// The mark of the workspace is held until the commit, so times and ids rise in the order of commits and a reader that
// resumes after one misses nothing, also when the clock is set back. Settings change a few times a day; nobody waits.
const write = statement<Written, unknown>(
  (p) => sql`with mark as (
     insert into platform.audit_marks as m (brand_id, first_at, last_at)
     values (${p.brand_id}, platform.clock_now(), platform.clock_now())
     on conflict (brand_id) do update
       set last_at = greatest(platform.clock_now(), m.last_at + interval '1 microsecond')
     returning last_at)
   insert into platform.audit_entries (brand_id, action, target, old_value, new_value, actor_kind,
     actor_person_id, actor_name, credential, credential_id, request_id, actor_agent, actor_agent_id,
     created_at)
   select ${p.brand_id}, ${p.action}, ${p.target}, ${p.old_value}::jsonb,
     ${p.new_value}::jsonb, ${p.actor_kind}, ${p.actor_person_id}, ${p.actor_name},
     ${p.credential}, ${p.credential_id}, ${p.request_id}, ${p.actor_agent},
     ${p.actor_agent_id}, last_at from mark`,
)

interface By {
  readonly brand_id: number
  readonly actor: Actor
  readonly request_id: string | null
}

/** Part of the change's transaction: both commit or neither does. */
export async function writeAudit(db: Queryable, { brand_id, actor, request_id }: By, entry: AuditEntry) {
  const { action, target, from, to } = entry
  const person = actor.kind === 'person' ? actor : undefined
  await db.run(write, {
    brand_id,
    action,
    target,
    old_value: JSON.stringify(from ?? null),
    new_value: JSON.stringify(to ?? null),
    actor_kind: actor.kind,
    actor_person_id: person?.person_id ?? null,
    actor_name: person?.name ?? nameOf(actor),
    credential: person?.credential ?? (actor.kind === 'admin_key' ? 'admin_key' : null),
    credential_id: person?.credential_id ?? null,
    request_id,
    actor_agent: person?.agent ?? null,
    actor_agent_id: person?.agent_id ?? null,
  })
}

const nameOf = (actor: Actor): string | null =>
  actor.kind === 'system' ? actor.name : actor.kind === 'desk' ? actor.desk_id : null
