import { sql } from '#platform/db/statement.ts'

export const sharedColumns = sql`r.id, r.brand_id, r.name, g.role, g.added_at`
