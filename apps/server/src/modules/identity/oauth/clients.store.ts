import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface ClientRow {
  readonly id: string
  readonly name: string
  readonly redirect_uris: string[]
}

const one = statement<{ id: string }, ClientRow>(
  (p) => sql`select id, name, redirect_uris from identity.oauth_clients where id = ${p.id}::uuid`,
)
const add = statement<{ id: string; name: string; redirect_uris: readonly string[] }, unknown>(
  (p) => sql`insert into identity.oauth_clients (id, name, redirect_uris)
   values (${p.id}, ${p.name}, ${p.redirect_uris})`,
)
const hold = brandStatement<{ id: string }, unknown>(
  (p) => sql`select 1 from identity.oauth_clients where id = ${p.id}::uuid for key share`,
)
// Connections are kept for a while after they have ended, and their program with them.
const unused = statement<{ limit: number; hours: number }, unknown>(
  (p) => sql`delete from identity.oauth_clients where id in (
     select c.id from identity.oauth_clients c
     where c.created_at < platform.now() - make_interval(hours => ${p.hours})
       and not exists (select from identity.oauth_connections o where o.client_id = c.id)
     order by c.created_at limit ${p.limit} for update skip locked)`,
)

export const findClient = (ctx: SystemCtx, id: string) => ctx.db.first(one, { id })
export const insertClient = (
  ctx: SystemCtx,
  client: { id: string; name: string; redirect_uris: readonly string[] },
) => ctx.db.run(add, { ...client })
/** It is not swept until the commit. */
export const lockClient = async (ctx: BrandTx, id: string): Promise<boolean> =>
  (await ctx.db.run(hold, { id })) > 0
/** Over all brands: whether one of them uses it has to be seen. */
export const deleteUnusedClients = (ctx: SystemCtx, limit: number, hours: number) =>
  ctx.overBrands().db.run(unused, { limit, hours })
