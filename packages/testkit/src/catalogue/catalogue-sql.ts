// Queries on the catalogue of Postgres. Parameter 1 holds the schemas of libraries, or the role.

const ours = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'`
const notOfExtension = (catalogue: string, oid: string) =>
  `not exists (select 1 from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = ${oid} and d.deptype = 'e')`
const columnNames = (table: string, numbers: string) =>
  `array(select a.attname::text from unnest(${numbers}) with ordinality u(n, at)
         join pg_attribute a on a.attrelid = ${table} and a.attnum = u.n order by u.at)`

export const tables = `
  select n.nspname || '.' || c.relname as name, c.relkind::text as kind, c.relrowsecurity as rls,
         c.relforcerowsecurity as forced, c.relispartition as is_partition, b.attname is not null as has_brand, coalesce(b.attnotnull, false) as brand_not_null
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  left join pg_attribute b on b.attrelid = c.oid and b.attname = 'brand_id' and not b.attisdropped
  where c.relkind in ('r', 'p', 'f') and ${ours} and n.nspname <> all($1) and ${notOfExtension('pg_class', 'c.oid')}
  order by 1`

// Access to a partition itself bypasses the privileges of its parent.
export const openPartitions = `
  select c.oid::regclass::text as name from pg_class c
  where c.relispartition and c.relkind in ('r', 'p') and c.relowner <> $1::regrole
    and has_table_privilege($1, c.oid, 'select, insert, update, delete, truncate')
    and c.relnamespace::regnamespace::text <> all($2)`

export const policies = `
  select n.nspname || '.' || c.relname as table, p.polname::text as name,
         concat(case p.polcmd when '*' then 'all' else p.polcmd::text end,
                case when p.polroles = '{0}' then ' public' else ' some roles' end,
                case when p.polpermissive then ' permissive' else ' restrictive' end) as covers,
         pg_get_expr(p.polqual, p.polrelid) as reads, pg_get_expr(p.polwithcheck, p.polrelid) as writes
  from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace`

export const unique = `
  select n.nspname || '.' || c.relname as table, i.relname::text as name,
         ${columnNames('c.oid', 'x.indkey::int2[]')} as columns
  from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
  join pg_namespace n on n.oid = c.relnamespace
  where (x.indisunique or x.indisexclusion) and ${ours}`

// An index serves a key when its first columns are those of the key, in any order.
export const foreign = `
  select n.nspname || '.' || c.relname as table, k.conname::text as name,
         ${columnNames('k.conrelid', 'k.conkey')} as columns, tn.nspname || '.' || t.relname as target,
         ${columnNames('k.confrelid', 'k.confkey')} as target_columns,
         exists (select 1 from pg_index x where x.indrelid = k.conrelid and x.indisvalid and x.indpred is null
                 and (x.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey) as indexed
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
  where k.contype = 'f' and ${ours} and n.nspname <> all($1)`

// Functions with the rights of their owner, and those that open other brands for a statement.
export const definers = `
  select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where (p.prosecdef or p.prosrc ilike '%app.system%') and ${ours} and ${notOfExtension('pg_proc', 'p.oid')}`

export const views = `
  select n.nspname || '.' || c.relname as name, c.relkind::text as kind
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('v', 'm') and ${ours} and n.nspname <> all($1) and ${notOfExtension('pg_class', 'c.oid')}
    and (c.relkind = 'm' or not coalesce(c.reloptions && '{security_invoker=true,security_invoker=on}', false))`

// Also roles that it may become.
export const mightyRoles = `
  select rolname::text as name from pg_roles
  where (rolsuper or rolbypassrls) and pg_has_role($1, oid, 'member')`
