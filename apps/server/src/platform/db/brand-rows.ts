import { brandStatement, sql } from '#platform/db/statement.ts'

/** Deletes at most `limit` rows of a workspace from a table whose key begins with `brand_id`. */
export const deletingRows = (table: string, ...key: readonly string[]) => {
  const keys = ['brand_id', ...key].join(', ')
  return brandStatement<{ limit: number }, unknown>(
    (p) => sql`delete from ${table} where (${keys}) in (
     select ${keys} from ${table} where brand_id = ${p.brand_id} limit ${p.limit})`,
  )
}
