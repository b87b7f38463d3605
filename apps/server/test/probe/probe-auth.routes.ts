import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-auth.contract.ts'

const findBrand = sqlStatement<{ brand_id: number }, { brand_id: number; name: string }>(
  'select id as brand_id, name from identity.brands where id = $1',
  'brand_id',
)
// No workspace is named: what is seen is what row-level security lets through.
const listThings = sqlStatement<object, { name: string }>(
  'select name from probe.things order by name limit 100',
)
const insertThing = sqlStatement<{ brand_id: number; name: string }, { id: string }>(
  'insert into probe.things (brand_id, name) values ($1, $2) returning id',
  'brand_id',
  'name',
)
const lockThing = sqlStatement<{ thing_id: string }, { locked: boolean }>(
  'select locked from probe.things where id = $1 for update',
  'thing_id',
)
const updateThing = sqlStatement<{ thing_id: string; name: string }, { id: string; name: string }>(
  'update probe.things set name = $2 where id = $1 returning id, name',
  'thing_id',
  'name',
)

async function own(ctx: BrandCtx) {
  const row = await ctx.db.first(findBrand, { brand_id: ctx.brandId })
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
    const row = await ctx.db.first(insertThing, { brand_id: ctx.brandId, name: body.name })
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
