import { brandNotFound, notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle, handleEither } from '#platform/http/handle.ts'
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

async function brandOf(ctx: BrandCtx) {
  const row = await ctx.db.first(findBrand, {})
  if (!row) throw brandNotFound()
  return row
}

const noted = (ctx: BrandCtx, path: 'session' | 'admin', comp_reason: string | undefined) =>
  ctx.tx(async (ctx) => {
    const { brand_id } = await brandOf(ctx)
    await ctx.audit({ action: 'probe.noted', target: 'probe:either', from: null, to: { path, comp_reason } })
    const { actor } = ctx
    return { path, brand_id, actor: actor.kind === 'person' ? `person:${actor.person_id}` : actor.kind }
  })

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
  handleEither(contract.authEither, {
    session: (ctx) => noted(ctx, 'session', undefined),
    admin: (ctx, { body }) => noted(ctx.forBrand(body.brand_id), 'admin', body.comp_reason),
  }),
  handle(contract.authEitherRead, async (ctx, { params }) =>
    ctx.kind === 'brand'
      ? { path: 'session' as const, name: (await brandOf(ctx)).name }
      : { path: 'admin' as const, name: (await brandOf(ctx.forBrand(Number(params.brand_id)))).name },
  ),
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
