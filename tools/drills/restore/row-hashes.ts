import type { BackedUpPostgres } from './backed-up-postgres.ts'

const tables = `select format('%I.%I', n.nspname, c.relname) as name from pg_class c
 join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname !~ '^(pg_|information_schema|public)' order by 1`

/** One number for all rows of a table, whatever their order; as one moment sees them. */
export async function hashRows(postgres: BackedUpPostgres, port: number): Promise<Map<string, string>> {
  const names = (await postgres.query(port, tables)).map(({ name }) => String(name))
  const each = names.map(
    (name) =>
      `select '${name}' as name, count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as hash from ${name} t`,
  )
  const rows = await postgres.query(port, each.join('\nunion all '))
  return new Map(rows.map(({ name, hash }) => [String(name), String(hash)]))
}
