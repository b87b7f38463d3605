import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

type Keys = { readonly extractor: string; readonly keys: readonly string[] }
const list = brandStatement<Keys, { key: string; facts: string }>(
  (p) => sql`select key, facts from code_index.blob_facts
   where brand_id = ${p.brand_id} and key = any(${p.keys}::text[]) and extractor = ${p.extractor}`,
)
// Once a day: a hit is a read otherwise.
const touch = brandStatement<Keys, unknown>(
  (p) => sql`update code_index.blob_facts set used_on = platform.now()::date
   where brand_id = ${p.brand_id} and key = any(${p.keys}::text[]) and extractor = ${p.extractor}
     and used_on < platform.now()::date`,
)
const insert = brandStatement<Keys & { facts: readonly string[] }, unknown>(
  (p) => sql`insert into code_index.blob_facts (brand_id, key, extractor, facts, used_on)
   select ${p.brand_id}::int, new.key, ${p.extractor}::text, new.facts, platform.now()::date
   from unnest(${p.keys}::text[], ${p.facts}::text[]) as new (key, facts)
   on conflict (brand_id, key, extractor) do nothing`,
)
const sweep = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`delete from code_index.blob_facts where (brand_id, key, extractor) in (
     select brand_id, key, extractor from code_index.blob_facts
     where used_on < platform.now()::date - ${p.days}::int order by used_on limit ${p.limit})`,
)

export const listBlobFacts = (ctx: BrandCtx, asked: Keys) => ctx.db.all(list, asked)
export const updateUsed = (ctx: BrandCtx, asked: Keys) => ctx.db.run(touch, asked)
export const insertBlobFacts = (ctx: BrandCtx, facts: Keys & { readonly facts: readonly string[] }) =>
  ctx.db.run(insert, facts)
export const deleteUnusedFacts = (ctx: SystemCtx, days: number, limit: number) =>
  ctx.overBrands().db.run(sweep, { days, limit })
