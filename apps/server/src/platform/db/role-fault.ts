import type { Database } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface RoleFacts {
  readonly role: string
  readonly is_superuser: boolean
  readonly bypasses: boolean
  readonly own_table: string | null
}

// What a role can make itself by `set role` counts as what it is.
const facts = statement<Record<never, never>, RoleFacts>(
  () => sql`select current_user::text as role, exists (select from pg_roles r where r.rolsuper
       and pg_has_role(current_user, r.oid, 'member')) as is_superuser,
     exists (select from pg_roles r where r.rolbypassrls
       and pg_has_role(current_user, r.oid, 'member')) as bypasses,
     (select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
        and pg_has_role(current_user, c.relowner, 'member') order by 1 limit 1) as own_table`,
)

/** Why the product must not run as this role, or undefined. Row-level security holds only for the others. */
export async function findRoleFault(database: Database): Promise<string | undefined> {
  const found = await database.statements.first(facts, {})
  if (!found) return undefined
  const { role, is_superuser, bypasses, own_table } = found
  if (is_superuser) return `the role ${role} is a superuser, which bypasses row-level security`
  if (bypasses) return `the role ${role} has BYPASSRLS, which bypasses row-level security`
  if (own_table !== null)
    return `the role ${role} owns ${own_table}, so it can turn off its own row-level security`
  return undefined
}
