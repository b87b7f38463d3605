import { deletingRows } from '#platform/db/brand-rows.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { type ErasurePart, emptying } from '#platform/erasure/erasure-part.ts'

const next = statement<
  { brand_id: number; digest: string; bite: number; person: number; words: readonly string[] },
  { brand_id: number; digest: string }
>(
  (p) => sql`with bitten as materialized (
     select brand_id, digest from platform.idempotency_keys where (brand_id, digest) > (${p.brand_id}, decode(${p.digest}, 'hex'))
     order by brand_id, digest limit ${p.bite}),
   redacted as (
     update platform.idempotency_keys a set body = platform.without_person(a.body::jsonb, ${p.person}, ${p.words}::text[])::text
     from bitten b where a.brand_id = b.brand_id and a.digest = b.digest and a.body is json
       and platform.without_person(a.body::jsonb, ${p.person}, ${p.words}::text[]) <> a.body::jsonb)
   select brand_id, encode(digest, 'hex') as digest from bitten
   order by brand_id desc, bitten.digest desc limit 1`,
)
const ofBrand = deletingRows('platform.idempotency_keys', 'digest')

const bite = 200

/** A replayed response stays the same, but without the name. */
export const keysErasure: ErasurePart = {
  part: 'idempotency-keys',
  async person(ctx, { id: person, addresses: words }, position) {
    const [brand_id, digest] = position ? JSON.parse(position) : [0, '']
    const last = await ctx.overBrands().db.first(next, { brand_id, digest, bite, person, words })
    return last && JSON.stringify([last.brand_id, last.digest])
  },
  brand: emptying((ctx, limit) => ctx.db.run(ofBrand, { limit })),
}
