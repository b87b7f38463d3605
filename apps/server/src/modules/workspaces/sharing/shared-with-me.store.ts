import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { type Sql, sql, statement } from '#platform/db/statement.ts'
import type { SharingTables } from './sharing.store.ts'

interface SharedPage {
  readonly person_id: number
  readonly after: string
  readonly limit: number
}

/**
 * Over all workspaces, and only what is shared with the person: a guest belongs to none of them. `columns` are those
 * of the resource (`r`) and of the guest (`g`).
 */
export function sharedWithMeStore<Row>({ guests, resources, resource_id }: SharingTables, columns: Sql) {
  const shared = sql`select ${columns}
   from ${guests} g join ${resources} r on r.brand_id = g.brand_id and r.id = g.${resource_id}`
  const list = statement<SharedPage, Row>(
    (p) => sql`${shared} where g.person_id = ${p.person_id} and g.${resource_id} > ${p.after}
   order by g.${resource_id} limit ${p.limit}`,
  )
  const one = statement<{ person_id: number; resource_id: string }, Row>(
    (p) => sql`${shared} where g.person_id = ${p.person_id} and g.${resource_id} = ${p.resource_id}`,
  )
  return {
    listShared: (ctx: SystemCtx, page: SharedPage) => ctx.overBrands().db.all(list, page),
    findShared: (ctx: SystemCtx, person_id: number, resource_id: string) =>
      ctx.overBrands().db.first(one, { person_id, resource_id }),
  }
}
