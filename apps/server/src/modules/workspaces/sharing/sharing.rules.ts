/** Stores are asked for one row more than the limit: if it came, there is a next page. */
export function pageOf<Row, Id>(rows: readonly Row[], limit: number, idOf: (row: Row) => Id) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next_after: rows.length > limit && last !== undefined ? idOf(last) : null }
}
