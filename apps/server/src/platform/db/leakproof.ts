import type { Database } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'

/** The functions of the operators by which tenant tables are searched in an index and that Postgres does not mark. */
const searching = "'ts_match_vq(tsvector, tsquery)', 'word_similarity_commutator_op(text, text)'"

const unmarked = statement<Record<never, never>, { name: string }>(
  () => sql`select p.oid::regprocedure::text as name from unnest(array[${searching}]) as s (name)
   join pg_proc p on p.oid = to_regprocedure(s.name) where not p.proleakproof order by 1`,
)

/** What a superuser has to run so that search under row-level security may use its indexes; undefined when it may. */
export async function findMissingMarks(database: Database): Promise<string | undefined> {
  const rows = await database.statements.all(unmarked, {})
  return rows.length === 0 ? undefined : rows.map(({ name }) => `alter function ${name} leakproof;`).join(' ')
}
