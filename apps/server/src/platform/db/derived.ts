import type { Queryable } from '#platform/db/database.ts'
import { type Statement, sql, statement } from '#platform/db/statement.ts'

interface TableFacts {
  /** With its schema. Its key is `(brand_id, id)`. */
  readonly table: string
  /** Rows that one statement looks at; the fewer, the more each of them has to count. */
  readonly rows: number
  /** The correct value of each derived column, computed from its source rows, for a row `t`. */
  readonly truths: Readonly<Record<string, string>>
  /** What is wrong with rows that follow from `t`, as a value, null if nothing is: where rows may be missing, too. */
  readonly faults?: Readonly<Record<string, string>>
}

type RowRef = { brand_id: number; id: string }
type Range = RowRef & { last_brand_id: number; last_id: string }

export interface WrongValue extends RowRef {
  /** With schema and table. */
  readonly column: string
  readonly found: unknown
  readonly truth: unknown
}

/** Columns that follow from other rows, and how to find those that do not. */
export interface DerivedTable {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly page: Statement<RowRef & { limit: number }, RowRef>
  readonly compare: Statement<Range, WrongValue>
}

export function derivedTable({ table, rows, truths, faults = {} }: TableFacts): DerivedTable {
  const columns = [...Object.keys(truths), ...Object.keys(faults)]
  const values = [
    ...Object.entries(truths).map(([name, truth]) => `('${name}', to_jsonb(t.${name}), to_jsonb(${truth}))`),
    ...Object.entries(faults).map(([name, fault]) => `('${name}', to_jsonb(${fault}), null::jsonb)`),
  ]
  return {
    table,
    columns,
    rows,
    page: statement(
      (p) => sql`select brand_id, id from ${table} where (brand_id, id) > (${p.brand_id}, ${p.id})
     order by brand_id, id limit ${p.limit}`,
    ),
    // One statement sees one moment, so what others write meanwhile looks wrong to nobody.
    compare: statement(
      (p) => sql`select t.brand_id, t.id, '${table}.' || v.name as column, v.found, v.truth from ${table} t
       cross join lateral (values ${values.join(',\n         ')}) v (name, found, truth)
       where (t.brand_id, t.id) > (${p.brand_id}, ${p.id}) and (t.brand_id, t.id) <= (${p.last_brand_id},
         ${p.last_id}) and v.found is distinct from v.truth
       order by t.brand_id, t.id, v.name`,
    ),
  }
}

const first: RowRef = { brand_id: 0, id: '00000000-0000-0000-0000-000000000000' }

/** Every value of these tables that is not what it should be, a page of rows at a time. */
export async function* findWrongValues(
  db: Queryable,
  tables: readonly DerivedTable[],
): AsyncGenerator<WrongValue> {
  for (const { page, compare, rows } of tables) {
    let after = first
    for (;;) {
      const last = (await db.all(page, { ...after, limit: rows })).at(-1)
      if (!last) break
      yield* await db.all(compare, { ...after, last_brand_id: last.brand_id, last_id: last.id })
      after = last
    }
  }
}
