import type { DerivedTable } from '#platform/db/derived.ts'
import { sql, statement } from '#platform/db/statement.ts'

/** A cell is of no workspace: it stands under the number 0, with its own number and one more for an id. */
const idOfCell = `('00000000-0000-0000-0000-' || lpad(to_hex(t.cell + 1), 12, '0'))::uuid`

const cells: DerivedTable = {
  table: 'fleet.mesh_cells',
  columns: ['peers'],
  rows: 100,
  page: statement(
    (p) => sql`select 0 as brand_id, ${idOfCell} as id from fleet.mesh_cells t
     where (0, ${idOfCell}) > (${p.brand_id}::int, ${p.id}::uuid) order by t.cell limit ${p.limit}`,
  ),
  compare: statement(
    (p) => sql`select 0 as brand_id, ${idOfCell} as id, 'fleet.mesh_cells.peers' as column,
       to_jsonb(t.peers) as found, to_jsonb(n.peers) as truth
     from fleet.mesh_cells t
     cross join lateral (select count(*)::int as peers from fleet.mesh_peers m where m.cell = t.cell) n
     where (0, ${idOfCell}) > (${p.brand_id}::int, ${p.id}::uuid)
       and (0, ${idOfCell}) <= (${p.last_brand_id}::int, ${p.last_id}::uuid) and t.peers <> n.peers
     order by t.cell`,
  ),
}

/** What `npm run verify-data` compares with the truth. */
export const derivedOfFleet = [cells]
