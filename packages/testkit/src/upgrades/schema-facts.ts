import type pg from 'pg'

export interface ColumnFacts {
  readonly type: string
  readonly is_required: boolean
  /** By a default, an identity or a generation: a statement may leave it out. */
  readonly fills_itself: boolean
}

/** Refuses or changes what is written to its table: a constraint, a unique index, a trigger or a policy. */
export interface RuleFacts {
  readonly table: string
  readonly kind: 'constraint' | 'unique index' | 'trigger' | 'policy'
  readonly definition: string
  /** Empty where the definition does not tell. */
  readonly columns: readonly string[]
}

/** What a program that uses the schema can notice of it, by full name. */
export interface SchemaFacts {
  readonly relations: ReadonlySet<string>
  readonly columns: ReadonlyMap<string, ColumnFacts>
  readonly rules: ReadonlyMap<string, RuleFacts>
  /** What it returns, by its name with the types of its arguments. */
  readonly functions: ReadonlyMap<string, string>
}

interface Named {
  readonly name: string
}

// Not those of the engine of jobs, which migrates its own; partitions have the form of their tables.
const ours = `n.nspname !~ '^(pg_|information_schema|pgboss)' and n.nspname <> 'public'`
const columnsOf = (relation: string, numbers: string) =>
  `array(select a.attname::text from pg_attribute a where a.attrelid = ${relation} and a.attnum = any (${numbers}) order by 1)`

export async function readSchemaFacts(client: pg.ClientBase): Promise<SchemaFacts> {
  const ask = async <T extends Named>(sql: string) => (await client.query<T>(sql)).rows
  const byName = <T extends Named>(rows: readonly T[]) => new Map(rows.map((row) => [row.name, row]))
  const relations = await ask(
    `select format('%s.%s', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${ours} and c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition`,
  )
  const columns = await ask<Named & ColumnFacts>(
    `select format('%s.%s.%s', n.nspname, c.relname, a.attname) as name, format_type(a.atttypid, a.atttypmod) as type,
            a.attnotnull as is_required, a.atthasdef or a.attidentity <> '' as fills_itself
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where ${ours} and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and a.attnum > 0 and not a.attisdropped`,
  )
  const rules = await ask<Named & RuleFacts>(
    `with tables as (
       select c.oid, format('%s.%s', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where ${ours} and c.relkind in ('r', 'p') and not c.relispartition
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
     select format('%s %s', t.name, g.tgname), t.name, 'trigger', pg_get_triggerdef(g.oid), '{}'
     from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal
     union all
     select format('%s %s', t.name, p.polname), t.name, 'policy',
            concat_ws(' ', p.polpermissive, p.polcmd, pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)),
            '{}'
     from pg_policy p join tables t on t.oid = p.polrelid`,
  )
  const functions = await ask<Named & { readonly returns: string }>(
    `select format('%s.%s(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name,
            pg_get_function_result(p.oid) as returns
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${ours} and p.prokind <> 'p'`,
  )
  return {
    relations: new Set(relations.map(({ name }) => name)),
    columns: byName(columns),
    rules: byName(rules),
    functions: new Map(functions.map(({ name, returns }) => [name, returns])),
  }
}
