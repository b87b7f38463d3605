import { type FeatureKey, featureKeys, notInPlan } from '@crewhall/contracts/workspaces/features.ts'
import { planOf } from '#modules/identity'
import type { FeatureHoldings } from '#modules/workspaces'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-features.contract.ts'

const countHeld = sqlStatement<{ brand_id: number; feature: string }, { count: number }>(
  'select count(*)::int as count from probe.held_things where brand_id = $1 and feature = $2',
  'brand_id',
  'feature',
)
const setValue = sqlStatement<{ brand_id: number; key: string; is_on: boolean }, unknown>(
  `insert into probe.naive_switches (brand_id, key, is_on) values ($1, $2, $3)
   on conflict (brand_id, key) do update set is_on = excluded.is_on`,
  'brand_id',
  'key',
  'is_on',
)
const setAuthor = sqlStatement<{ brand_id: number; key: string; changed_by: number | null }, unknown>(
  'update probe.naive_switches set changed_by = $3 where brand_id = $1 and key = $2',
  'brand_id',
  'key',
  'changed_by',
)
const find = sqlStatement<{ brand_id: number; key: string }, { is_on: boolean; changed_by: number | null }>(
  'select is_on, changed_by from probe.naive_switches where brand_id = $1 and key = $2',
  'brand_id',
  'key',
)
const addEntry = sqlStatement<{ brand_id: number; key: string }, { id: number }>(
  'insert into probe.naive_entries (brand_id, key) values ($1, $2) returning id',
  'brand_id',
  'key',
)
const entriesAfter = sqlStatement<{ brand_id: number; after: number; limit: number }, { id: number }>(
  'select id from probe.naive_entries where brand_id = $1 and id > $2 order by id limit $3',
  'brand_id',
  'after',
  'limit',
)

/** Things of every feature whose module is not there yet, so that tests can see counts. Boards are. */
export const probeHoldings: readonly FeatureHoldings[] = featureKeys
  .filter((feature) => feature !== 'crm')
  .map((feature) => ({
    feature,
    count: async (ctx) => (await ctx.db.first(countHeld, { brand_id: ctx.brandId, feature }))?.count ?? 0,
  }))

const authorOf = ({ actor }: BrandCtx) => (actor.kind === 'person' ? actor.person_id : null)

async function stateOf(ctx: BrandCtx, key: FeatureKey) {
  const { features } = await planOf(ctx)
  const row = await ctx.db.first(find, { brand_id: ctx.brandId, key })
  const locked_by_plan = !features.includes(key)
  return { on: !locked_by_plan && (row?.is_on ?? true), locked_by_plan, changed_by: row?.changed_by ?? null }
}

export const probeFeaturesMounted = () => [
  handle(contract.naiveSwitch, async (ctx, { params: { key }, body: { on } }) => {
    const { features } = await planOf(ctx)
    if (on && !features.includes(key)) throw notInPlan()
    await ctx.db.run(setValue, { brand_id: ctx.brandId, key, is_on: on })
    await ctx.db.run(setAuthor, { brand_id: ctx.brandId, key, changed_by: authorOf(ctx) })
    return stateOf(ctx, key)
  }),
  handle(contract.readNaiveSwitch, (ctx, { params }) => stateOf(ctx, params.key)),
  handle(contract.naiveEntry, (ctx, { params: { key }, body }) =>
    ctx.tx(async (ctx) => {
      const entry = await ctx.db.first(addEntry, { brand_id: ctx.brandId, key })
      if (!entry) throw new Error('nothing was inserted')
      await ctx.db.run(setValue, { brand_id: ctx.brandId, key, is_on: body.on })
      return entry
    }),
  ),
  handle(contract.listNaiveEntries, async (ctx, { query }) => ({
    ids: (await ctx.db.all(entriesAfter, { brand_id: ctx.brandId, ...query })).map(({ id }) => id),
  })),
]
