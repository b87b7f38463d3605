import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-auth.contract.ts'

const findBrand = brandStatement<object, { brand_id: number; name: string }>(
  (p) => sql`select id as brand_id, name from identity.brands where id = ${p.brand_id}`,
)
// No workspace is named: what is seen is what row-level security lets through.
const listThings = statement<object, { name: string }>(
  () => sql`select name from probe.things order by name limit 100`,
)
const insertThing = brandStatement<{ name: string }, { id: string }>(
  (p) => sql`insert into probe.things (brand_id, name) values (${p.brand_id}, ${p.name}) returning id`,
)
const lockThing = statement<{ thing_id: string }, { locked: boolean }>(
  (p) => sql`select locked from probe.things where id = ${p.thing_id} for update`,
)
const updateThing = statement<{ thing_id: string; name: string }, { id: string; name: string }>(
  (p) => sql`update probe.things set name = ${p.name} where id = ${p.thing_id} returning id, name`,
)

async function own(ctx: BrandCtx) {
  const row = await ctx.db.first(findBrand, {})
  if (!row || ctx.actor.kind !== 'person' || ctx.actor.role === null) throw notAuthenticated()
  return { ...row, person_id: ctx.actor.person_id, role: ctx.actor.role }
}

const things = async (ctx: BrandCtx) => ({
  brand_id: ctx.brandId,
  things: (await ctx.db.all(listThings, {})).map(({ name }) => name),
})

export const probeAuthMounted = () => [
  handle(contract.authMemoryRead, things),
  handle(contract.authMemoryWrite, async (ctx, { body }) => {
    const row = await ctx.db.first(insertThing, { name: body.name })
    if (!row) throw new Error('nothing was inserted')
    return { brand_id: ctx.brandId, id: row.id }
  }),
  handle(contract.authNear, things),
  handle(contract.authBrandRead, own),
  handle(contract.authBrandAdmin, own),
  handle(contract.authAdminAny, own),
  handle(contract.authMemberAny, own),
  handle(contract.authSession, own),
  handle(contract.authPlatform, ({ actor }) => ({
    actor: actor.kind === 'admin_key' ? ('admin_key' as const) : ('person' as const),
  })),
  handle(contract.authOrder, (ctx, { params, body }) =>
    ctx.tx(async (tx) => {
      const thing = await tx.db.first(lockThing, params)
      if (!thing) throw contract.thingNotFound()
      if (thing.locked) throw contract.thingLocked()
      const row = await tx.db.first(updateThing, { ...params, ...body })
      if (!row) throw contract.thingNotFound()
      return row
    }),
  ),
]
