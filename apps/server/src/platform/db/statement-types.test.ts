import { expect, test } from 'vitest'
import type { BrandQueryable, Queryable } from '#platform/db/queryable.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

const byId = statement<{ id: number }, { name: string }>(
  (p) => sql`select name from probe.rows where id = ${p.id}`,
)
const own = brandStatement<{ id: number }, { name: string }>(
  (p) => sql`select name from probe.rows where brand_id = ${p.brand_id} and id = ${p.id}`,
)

/** Never called: the compiler is the test, and refuses an expectation of an error that does not come. */
export function planted(db: Queryable, brand: BrandQueryable) {
  // @ts-expect-error a name that the statement does not have
  statement<{ id: number }, unknown>((p) => sql`select ${p.idd}`)
  // @ts-expect-error a workspace in a statement that is not of one
  statement<{ id: number }, unknown>((p) => sql`select ${p.brand_id}`)
  // @ts-expect-error a value in the text, where only constants and parameters stand
  statement<{ id: number }, unknown>(() => sql`select ${7}`)
  // @ts-expect-error a missing parameter
  db.first(byId, {})
  // @ts-expect-error a parameter of another name
  db.first(byId, { ids: 7 })
  // @ts-expect-error a parameter too many
  db.first(byId, { id: 7, name: 'x' })
  // @ts-expect-error a parameter of another type
  db.first(byId, { id: '7' })
  // @ts-expect-error the statement of a workspace outside of one
  db.first(own, { id: 7 })
  // @ts-expect-error a workspace chosen by the caller
  brand.first(own, { id: 7, brand_id: 8 })
  return brand.inOrder([brand.first(own, { id: 7 }), brand.first(byId, { id: 7 })])
}

test('a wrong name, a missing parameter and a workspace of the caller cannot be compiled', () => {
  expect(planted).toBeTypeOf('function')
  expect(own.bind({ id: 7 }, 3)).toEqual([3, 7])
})
