import { sql } from '#platform/db/statement.ts'

export const sharedColumns = sql`r.id, r.brand_id, r.key, r.name, r.description, r.card_count, r.archived_at,
     g.role, g.added_at`
