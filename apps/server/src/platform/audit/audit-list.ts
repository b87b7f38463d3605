import type { Queryable } from '#platform/db/database.ts'
import { type Statement, sqlStatement } from '#platform/db/statement.ts'

/** An entry as it was written. */
export interface AuditRow {
  readonly id: string
  readonly action: string
  readonly target: string
  readonly old_value: unknown
  readonly new_value: unknown
  readonly actor_kind: 'person' | 'admin_key' | 'system' | 'nobody'
  readonly actor_person_id: number | null
  readonly actor_name: string | null
  readonly credential: 'token' | 'session' | 'admin_key' | null
  readonly credential_id: string | null
  readonly request_id: string | null
  readonly actor_agent: string | null
  readonly created_at: string
}

export interface AuditPage {
  readonly brand_id: number
  /** Id of the last entry that the reader has; ids start at 1. */
  readonly after: string
  readonly limit: number
  readonly actor?: number | undefined
  readonly action?: string | undefined
}

type Filter = 'actor' | 'action'

// One text per combination of filters, so that each is read from the index that begins with its columns.
function pageBy(...filters: Filter[]): Statement<AuditPage, AuditRow> {
  const columns = { actor: 'actor_person_id', action: 'action' }
  const where = filters.map((filter, at) => ` and ${columns[filter]} = $${at + 4}`).join('')
  return sqlStatement<AuditPage, AuditRow>(
    `select id::text, action, target, old_value, new_value, actor_kind, actor_person_id, actor_name,
       credential, credential_id, request_id, actor_agent, created_at
     from platform.audit_entries e where brand_id = $1 and e.id > $2::bigint${where} order by e.id limit $3`,
    'brand_id',
    'after',
    'limit',
    ...filters,
  )
}

const all = pageBy()
const byActor = pageBy('actor')
const byAction = pageBy('action')
const byBoth = pageBy('actor', 'action')

/** Entries of a brand behind a place, oldest first. Their ids come in the order of commits, so none is missed. */
export function listAuditEntries(db: Queryable, page: AuditPage): Promise<AuditRow[]> {
  if (page.actor === undefined) return db.all(page.action === undefined ? all : byAction, page)
  return db.all(page.action === undefined ? byActor : byBoth, page)
}
