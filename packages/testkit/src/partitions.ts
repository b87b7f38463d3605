import type pg from 'pg'
import { adminUrl, connectTo } from './databases.ts'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Partitions of a table that a statement of the product really looks into, with these values. */
export async function executedPartitions(
  client: pg.Client,
  table: string,
  { name, sql }: { readonly name: string; readonly sql: string },
  values: readonly unknown[],
): Promise<string[]> {
  const literals = values.map((value) =>
    client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)),
  )
  await client.query(`prepare ${name} as ${sql}`)
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, timing off, format json) execute ${name} (${literals.join(', ')})`,
    )
    const [plan] = rows[0]?.['QUERY PLAN'] ?? []
    return (plan ? nodesOf(plan.Plan) : [])
      .filter((node) => node['Actual Loops'] > 0 && node['Relation Name']?.startsWith(`${table}_`))
      .map((node) => node['Relation Name'] ?? '')
  } finally {
    await client.query(`deallocate ${name}`)
  }
}

/** The months or days of a table by name, without the head and the tail, oldest first. */
export async function listPartitions(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname ~ '_p[0-9]+$' order by c.relname`,
    [table],
  )
  return rows.map(({ name }) => name)
}

/** Sets the clock of the statements of one database, and of nothing else. */
export async function setDatabaseClock(database: string, offset: string): Promise<void> {
  const client = await connectTo(adminUrl(database))
  try {
    for (const [name, kind, source] of [
      ['now', 'stable', 'now()'],
      ['clock_now', 'volatile', 'clock_timestamp()'],
    ])
      await client.query(
        `create or replace function platform.${name}() returns timestamptz language sql ${kind} parallel safe
         as $$ select ${source} + interval '${offset}' $$`,
      )
  } finally {
    await client.end()
  }
}
