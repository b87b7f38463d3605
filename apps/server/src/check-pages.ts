import pg from 'pg'

export interface PageFaults {
  readonly tables: number
  readonly indexes: number
  readonly faults: readonly string[]
}

interface Relation {
  readonly name: string
  readonly oid: number
}

/**
 * What `pg_amcheck` does, on our own tables: every page of every table can be read, with what it
 * keeps beside it (TOAST), every index is in order and knows every
 * row. Undefined where the role may not, for the operator to run `pg_amcheck` as superuser.
 */
export async function checkPages(client: pg.Client): Promise<PageFaults | undefined> {
  const schema = await findAmcheck(client)
  if (schema === undefined) return undefined
  const faults: string[] = []
  const list = async (what: string) => (await client.query<Relation>(what)).rows
  const tables = await list(ourTables)
  const indexes = await list(ourIndexes)
  /** What the check tells, or the error that it ends with: a page without its checksum is one. The others are checked all the same. */
  const look = async ({ name, oid }: Relation, check: string) => {
    try {
      const { rows } = await client.query<{ msg?: string }>(check, [oid])
      for (const { msg } of rows) if (msg) faults.push(`${name}: ${msg}`)
    } catch (error) {
      // Damage is an error of the statement; a connection that is gone has none of these.
      if (!(error instanceof pg.DatabaseError)) throw error
      faults.push(`${name}: ${error.message}`)
    }
  }
  const heap = `select msg from ${schema}.verify_heapam(relation => $1::oid::regclass, check_toast => true) limit 5`
  for (const table of tables) await look(table, heap)
  for (const index of indexes) await look(index, `select ${schema}.bt_index_check($1::oid::regclass, true)`)
  return { tables: tables.length, indexes: indexes.length, faults }
}

/** The schema of the extension, if the role may use all that is needed. */
async function findAmcheck(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ schema: string; may: boolean }>(
    `select e.extnamespace::regnamespace::text as schema, count(*) = 2
       and bool_and(has_function_privilege(p.oid, 'execute') and has_schema_privilege(p.pronamespace, 'usage')) as may
     from pg_extension e join pg_depend d on d.refobjid = e.oid and d.deptype = 'e'
     join pg_proc p on p.oid = d.objid
       and (p.proname = 'verify_heapam' or (p.proname = 'bt_index_check' and p.pronargs = 2))
     where e.extname = 'amcheck' group by e.oid`,
  )
  return rows[0]?.may ? rows[0].schema : undefined
}

// With the tables that long values are in: those are in a schema of the system.
const ourTables = `with ours as (
   select c.oid, c.reltoastrelid from pg_class c
   join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^(pg_|information_schema)'
   where c.relkind in ('r', 'm') and c.relpersistence = 'p')
 select t.oid, t.oid::regclass::text as name
 from (select oid from ours union all select reltoastrelid from ours where reltoastrelid <> 0) t`
const ourIndexes = `select c.oid, c.oid::regclass::text as name from (${ourTables}) t
 join pg_index i on i.indrelid = t.oid and i.indisvalid and i.indisready
 join pg_class c on c.oid = i.indexrelid
 join pg_am m on m.oid = c.relam and m.amname = 'btree' where c.relkind = 'i'`
