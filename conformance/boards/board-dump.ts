import type { BoardWorkspace } from './board-workspace.ts'

/** Every row of the workspace in the tables of boards, and what is queued for its webhooks. */
export async function dumpOf({ server, owner }: BoardWorkspace): Promise<Record<string, string>> {
  const tables = await server.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'boards'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname = 'brand_id' order by 1`,
  )
  const dump: Record<string, string> = {}
  for (const { name } of [...tables, { name: 'webhooks.deliveries' }]) {
    const [row] = await server.sql<{ rows: string }>(
      `select coalesce(string_agg(to_jsonb(t)::text, E'\\n' order by to_jsonb(t)::text), '') as rows
       from ${name} t where brand_id = $1`,
      [owner.brand_id],
    )
    dump[name] = row?.rows ?? ''
  }
  return dump
}
