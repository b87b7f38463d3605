import { type FeatureKey, featureKeys, notInPlan } from '@crewhall/contracts/workspaces/features.ts'
import { planOf } from '#modules/identity'
import type { FeatureHoldings } from '#modules/workspaces'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-features.contract.ts'

const countHeld = brandStatement<{ feature: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from probe.held_things where brand_id = ${p.brand_id}
     and feature = ${p.feature}`,
)
const setValue = brandStatement<{ key: string; is_on: boolean }, unknown>(
  (p) => sql`insert into probe.naive_switches (brand_id, key, is_on)
     values (${p.brand_id}, ${p.key}, ${p.is_on})
   on conflict (brand_id, key) do update set is_on = excluded.is_on`,
)
const setAuthor = brandStatement<{ key: string; changed_by: number | null }, unknown>(
  (p) => sql`update probe.naive_switches set changed_by = ${p.changed_by} where brand_id = ${p.brand_id}
     and key = ${p.key}`,
)
const find = brandStatement<{ key: string }, { is_on: boolean; changed_by: number | null }>(
  (p) => sql`select is_on, changed_by from probe.naive_switches where brand_id = ${p.brand_id}
     and key = ${p.key}`,
)
const addEntry = brandStatement<{ key: string }, { id: number }>(
  (p) => sql`insert into probe.naive_entries (brand_id, key) values (${p.brand_id}, ${p.key}) returning id`,
)
const entriesAfter = brandStatement<{ after: number; limit: number }, { id: number }>(
  (p) => sql`select id from probe.naive_entries where brand_id = ${p.brand_id} and id > ${p.after} order by id
     limit ${p.limit}`,
)

/** Things of every feature whose module is not there yet, so that tests can see counts. */
export const probeHoldings: readonly FeatureHoldings[] = featureKeys
  .filter((feature) => feature === 'skills')
  .map((feature) => ({
    feature,
    count: async (ctx) => (await ctx.db.first(countHeld, { feature }))?.count ?? 0,
  }))

const authorOf = ({ actor }: BrandCtx) => (actor.kind === 'person' ? actor.person_id : null)

async function stateOf(ctx: BrandCtx, key: FeatureKey) {
  const { features } = await planOf(ctx)
  const row = await ctx.db.first(find, { key })
  const locked_by_plan = !features.includes(key)
  return { on: !locked_by_plan && (row?.is_on ?? true), locked_by_plan, changed_by: row?.changed_by ?? null }
}

export const probeFeaturesMounted = () => [
  handle(contract.naiveSwitch, async (ctx, { params: { key }, body: { on } }) => {
    const { features } = await planOf(ctx)
    if (on && !features.includes(key)) throw notInPlan()
    await ctx.db.run(setValue, { key, is_on: on })
    await ctx.db.run(setAuthor, { key, changed_by: authorOf(ctx) })
    return stateOf(ctx, key)
  }),
  handle(contract.readNaiveSwitch, (ctx, { params }) => stateOf(ctx, params.key)),
  handle(contract.naiveEntry, (ctx, { params: { key }, body }) =>
    ctx.tx(async (ctx) => {
      const entry = await ctx.db.first(addEntry, { key })
      if (!entry) throw new Error('nothing was inserted')
      await ctx.db.run(setValue, { key, is_on: body.on })
      return entry
    }),
  ),
  handle(contract.listNaiveEntries, async (ctx, { query }) => ({
    ids: (await ctx.db.all(entriesAfter, { ...query })).map(({ id }) => id),
  })),
]
