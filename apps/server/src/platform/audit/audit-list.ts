import type { Queryable } from '#platform/db/database.ts'
import { joined, type Named, type Statement, sql, statement } from '#platform/db/statement.ts'

/** A stored entry. */
export interface AuditRow {
  readonly id: string
  readonly action: string
  readonly target: string
  readonly old_value: unknown
  readonly new_value: unknown
  readonly actor_kind: 'person' | 'admin_key' | 'system' | 'nobody' | 'desk'
  readonly actor_person_id: number | null
  readonly actor_name: string | null
  readonly credential: 'token' | 'session' | 'admin_key' | null
  readonly credential_id: string | null
  readonly request_id: string | null
  readonly actor_agent: string | null
  readonly actor_agent_id: string | null
  readonly created_at: string
}

export interface AuditPage {
  readonly brand_id: number
  /** Time and id of the reader's last entry, which the page begins behind; the time selects the partitions to scan. */
  readonly after_at: string
  readonly after_id: string
  readonly limit: number
  readonly actor?: number | undefined
  readonly action?: string | undefined
  /** Oldest first by default. */
  readonly newest_first?: boolean
}

type Filter = 'actor' | 'action'

// Read before the entries: Postgres then opens only the months between these and the cursor.
const markOf = (p: Named<AuditPage>, side: 'first_at' | 'last_at') =>
  sql`(select m.${side} from platform.audit_marks m where m.brand_id = ${p.brand_id})`

interface Direction {
  readonly sign: '>' | '<'
  readonly order: string
  readonly bounds: (p: Named<AuditPage>) => ReturnType<typeof sql>
}

const forwards: Direction = {
  sign: '>',
  order: 'created_at, e.id',
  bounds: (p) => sql`created_at >= greatest(${p.after_at}::timestamptz, ${markOf(p, 'first_at')})
       and created_at <= coalesce(${markOf(p, 'last_at')}, platform.now())`,
}
const backwards: Direction = {
  sign: '<',
  order: 'created_at desc, e.id desc',
  bounds: (p) => sql`created_at >= coalesce(${markOf(p, 'first_at')}, '-infinity'::timestamptz)
       and created_at <= least(${p.after_at}::timestamptz, coalesce(${markOf(p, 'last_at')}, platform.now()))`,
}

// One text per combination of filters, so that each is read from the index that begins with its columns.
function pageBy({ sign, order, bounds }: Direction, ...filters: Filter[]): Statement<AuditPage, AuditRow> {
  const columns = { actor: 'actor_person_id', action: 'action' }
  return statement<AuditPage, AuditRow>(
    (p) => sql`select id::text, action, target, old_value, new_value, actor_kind, actor_person_id, actor_name,
       credential, credential_id, request_id, actor_agent, actor_agent_id, created_at
     from platform.audit_entries e
     where brand_id = ${p.brand_id}
       and (created_at, e.id) ${sign} (${p.after_at}::timestamptz, ${p.after_id}::bigint) and ${bounds(p)}
       ${joined(
         filters.map((filter) => sql`and ${columns[filter]} = ${p[filter]}`),
         ' ',
       )}
     order by ${order} limit ${p.limit}`,
  )
}

const pagesIn = (direction: Direction) => ({
  all: pageBy(direction),
  byActor: pageBy(direction, 'actor'),
  byAction: pageBy(direction, 'action'),
  byBoth: pageBy(direction, 'actor', 'action'),
})
const oldestFirst = pagesIn(forwards)
const newestFirst = pagesIn(backwards)

const lost = statement<{ brand_id: number; after_at: string }, { is_lost: boolean }>(
  (p) => sql`select greatest(${p.after_at}::timestamptz,
     first_at) < platform.kept_since('platform.audit_entries')
     and ${p.after_at}::timestamptz < last_at as is_lost
   from platform.audit_marks where brand_id = ${p.brand_id}`,
)

/**
 * Whether entries behind that place have been dropped by age. Asked after the page was read: what was still there
 * then is in it.
 */
export const hasLostAudit = async (db: Queryable, place: { brand_id: number; after_at: string }) =>
  (await db.first(lost, place))?.is_lost ?? false

/**
 * Entries of a brand behind a place. Their times rise in the order of commits, so that none is missed from the oldest on;
 * from the newest on, what comes meanwhile is on no later page.
 */
export function listAuditEntries(db: Queryable, page: AuditPage): Promise<AuditRow[]> {
  const { all, byActor, byAction, byBoth } = page.newest_first ? newestFirst : oldestFirst
  if (page.actor === undefined) return db.all(page.action === undefined ? all : byAction, page)
  return db.all(page.action === undefined ? byActor : byBoth, page)
}
