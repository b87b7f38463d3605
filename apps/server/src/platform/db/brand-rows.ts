import { brandStatement, sql } from '#platform/db/statement.ts'

/**
 * Deletes at most `limit` rows of a workspace from a table whose key is `brand_id` and `key`, in this order. They are read
 * in the order of that key: a planner without statistics would else read all of the workspace's rows for each bite.
 */
export const deletingRows = (table: string, ...key: readonly string[]) => {
  const keys = ['brand_id', ...key].join(', ')
  return brandStatement<{ limit: number }, unknown>(
    (p) => sql`delete from ${table} where (${keys}) in (
     select ${keys} from ${table} where brand_id = ${p.brand_id}
     order by ${keys} limit ${p.limit})`,
  )
}
