import pg from 'pg'

export interface PageFaults {
  readonly tables: number
  readonly indexes: number
  readonly faults: readonly string[]
}

/**
 * What `pg_amcheck` does, on our own tables: every page of every table can be read, every index is in order and knows every
 * row. Undefined where the role may not, for the operator to run `pg_amcheck` as superuser.
 */
export async function checkPages(client: pg.Client): Promise<PageFaults | undefined> {
  const schema = await findAmcheck(client)
  if (schema === undefined) return undefined
  const faults: string[] = []
  const list = async (what: string) => (await client.query<{ name: string; oid: number }>(what)).rows
  const tables = await list(ourTables)
  const indexes = await list(ourIndexes)
  for (const { name, oid } of tables) {
    const { rows } = await client.query<{ msg: string }>(
      `select msg from ${schema}.verify_heapam(relation => $1::oid::regclass) limit 5`,
      [oid],
    )
    for (const { msg } of rows) faults.push(`${name}: ${msg}`)
  }
  for (const { name, oid } of indexes) {
    try {
      await client.query(`select ${schema}.bt_index_check($1::oid::regclass, true)`, [oid])
    } catch (error) {
      // Damage is an error of the statement; a connection that is gone has none of these.
      if (!(error instanceof pg.DatabaseError)) throw error
      faults.push(`${name}: ${error.message}`)
    }
  }
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

const ours = `n.nspname !~ '^(pg_|information_schema)'`
const ourTables = `select c.oid, c.oid::regclass::text as name from pg_class c
 join pg_namespace n on n.oid = c.relnamespace and ${ours} where c.relkind in ('r', 'm') and c.relpersistence = 'p'`
const ourIndexes = `select c.oid, c.oid::regclass::text as name from pg_class c
 join pg_index i on i.indexrelid = c.oid and i.indisvalid and i.indisready
 join pg_am m on m.oid = c.relam and m.amname = 'btree'
 join pg_namespace n on n.oid = c.relnamespace and ${ours} where c.relkind = 'i' and c.relpersistence = 'p'`
