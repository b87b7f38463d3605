import type pg from 'pg'

export interface RelationFacts {
  /** What a view selects, and how; empty for what holds rows of its own. */
  readonly definition: string
  readonly row_security: 'off' | 'on' | 'forced'
  /** What the role of the product may do, in the order of their names. */
  readonly rights: readonly string[]
}

export interface ColumnFacts {
  readonly type: string
  readonly is_required: boolean
  /** By a default, an identity or a generation: a statement may leave it out. */
  readonly fills_itself: boolean
  /** By an expression or always by an identity: a statement must leave it out. */
  readonly is_computed: boolean
  readonly filled_with: string
}

/** Refuses or changes what is written to its table: a constraint, a unique index, a trigger or a policy. */
export interface RuleFacts {
  readonly table: string
  readonly kind: 'constraint' | 'unique index' | 'trigger' | 'policy'
  readonly definition: string
  /** Empty where the definition does not tell. */
  readonly columns: readonly string[]
}

export interface FunctionFacts {
  readonly returns: string
  /** The beginning of its digest. */
  readonly body: string
  /** As whom it runs, how stable it is, whether for null, and with which settings. */
  readonly manner: string
  /** How many arguments a call may leave out. */
  readonly optional: number
  readonly is_allowed: boolean
}

/** What a program that uses the schema can notice of it, by full name. */
export interface SchemaFacts {
  readonly relations: ReadonlyMap<string, RelationFacts>
  readonly columns: ReadonlyMap<string, ColumnFacts>
  readonly rules: ReadonlyMap<string, RuleFacts>
  /** By its name with its arguments. */
  readonly functions: ReadonlyMap<string, FunctionFacts>
  /** What values of enums, domains and composite types can be. */
  readonly types: ReadonlyMap<string, string>
}

interface Named {
  readonly name: string
}

// Not those of the engine of jobs, which migrates its own; partitions have the form of their tables.
const ours = `n.nspname !~ '^(pg_|information_schema|pgboss)' and n.nspname <> 'public'`
const columnsOf = (relation: string, numbers: string) =>
  `array(select a.attname::text from pg_attribute a where a.attrelid = ${relation} and a.attnum = any (${numbers}) order by 1)`

/** `role` is that of the product. */
export async function readSchemaFacts(client: pg.ClientBase, role: string): Promise<SchemaFacts> {
  const ask = async <T extends Named>(sql: string, ...values: readonly unknown[]) =>
    new Map((await client.query<T>(sql, [...values])).rows.map((row) => [row.name, row]))
  const relations = await ask<Named & RelationFacts>(
    `select format('%s.%s', n.nspname, c.relname) as name,
            case when c.relkind in ('v', 'm') then concat_ws(' ', c.reloptions::text, pg_get_viewdef(c.oid)) else '' end as definition,
            case when c.relforcerowsecurity then 'forced' when c.relrowsecurity then 'on' else 'off' end as row_security,
            case when c.relkind = 'S'
              then array(select r from unnest(array['select', 'usage']) r where has_sequence_privilege($1, c.oid, r))
              else array(select r from unnest(array['delete', 'insert', 'select', 'update']) r where has_table_privilege($1, c.oid, r))
            end as rights
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${ours} and c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition`,
    role,
  )
  const columns = await ask<Named & ColumnFacts>(
    `select format('%s.%s.%s', n.nspname, c.relname, a.attname) as name, format_type(a.atttypid, a.atttypmod) as type,
            a.attnotnull as is_required, a.atthasdef or a.attidentity <> '' as fills_itself,
            a.attgenerated <> '' or a.attidentity = 'a' as is_computed,
            coalesce(pg_get_expr(d.adbin, d.adrelid), '') as filled_with
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where ${ours} and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and a.attnum > 0 and not a.attisdropped`,
  )
  const rules = await ask<Named & RuleFacts>(
    `with tables as (
       select c.oid, format('%s.%s', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where ${ours} and c.relkind in ('r', 'p', 'v') and not c.relispartition
     )
     select format('%s %s', t.name, r.conname) as name, t.name as table, 'constraint' as kind,
            pg_get_constraintdef(r.oid) as definition, ${columnsOf('r.conrelid', 'r.conkey')} as columns
     from pg_constraint r join tables t on t.oid = r.conrelid where r.contype <> 'n'
     union all
     select format('%s %s', t.name, c.relname), t.name, 'unique index', pg_get_indexdef(i.indexrelid),
            ${columnsOf('i.indrelid', 'i.indkey::int2[]')}
     from pg_index i join tables t on t.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
     where i.indisunique and not exists (select from pg_constraint r where r.conindid = i.indexrelid and r.conrelid = i.indrelid)
     union all
     select format('%s %s', t.name, g.tgname), t.name, 'trigger', concat_ws(' ', pg_get_triggerdef(g.oid), 'enabled', g.tgenabled),
            '{}'
     from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal
     union all
     select format('%s %s', t.name, p.polname), t.name, 'policy',
            concat_ws(' ', p.polpermissive, p.polcmd, pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid),
              'to', array(select case when r = 0 then 'public' else pg_get_userbyid(r) end from unnest(p.polroles) r order by 1)),
            '{}'
     from pg_policy p join tables t on t.oid = p.polrelid`,
  )
  const functions = await ask<Named & FunctionFacts>(
    `select format('%s.%s(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name,
            coalesce(pg_get_function_result(p.oid), '') as returns,
            left(md5(concat(p.prosrc, pg_get_function_sqlbody(p.oid))), 8) as body,
            concat_ws(' ', case when p.prosecdef then 'definer' else 'invoker' end,
              case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
              case when p.proisstrict then 'strict' end, array_to_string(p.proconfig, ' ')) as manner,
            p.pronargdefaults::int as optional, has_function_privilege($1, p.oid, 'execute') as is_allowed
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${ours}`,
    role,
  )
  const types = await ask<Named & { readonly definition: string }>(
    `select format('%s.%s', n.nspname, t.typname) as name,
            case t.typtype
              when 'e' then (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
              when 'd' then concat_ws(' ', format_type(t.typbasetype, t.typtypmod), t.typnotnull, t.typdefault,
                (select string_agg(pg_get_constraintdef(r.oid), ' ' order by r.conname) from pg_constraint r where r.contypid = t.oid))
              else (select string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
                from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)
            end as definition
     from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
     where ${ours} and (t.typtype in ('e', 'd') or c.relkind = 'c')`,
  )
  return {
    relations,
    columns,
    rules,
    functions,
    types: new Map([...types].map(([name, { definition }]) => [name, definition])),
  }
}
