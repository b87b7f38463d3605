/** Before every id that there is. */
export const fromStart = '00000000-0000-0000-0000-000000000000'

/** Stores are asked for one row more than the limit: if it came, there is a next page. */
export function pageOf<Row extends { readonly id: string }>(rows: readonly Row[], limit: number) {
  const page = rows.slice(0, limit)
  return { page, next_after: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}
