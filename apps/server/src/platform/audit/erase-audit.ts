import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { ErasurePart } from '#platform/erasure/erasure-part.ts'

interface Entry {
  readonly created_at: string
  readonly id: string
}
interface After {
  readonly after_at: string
  readonly after_id: string
  readonly bite: number
}

// The product role cannot change entries; functions of the owner remove names.
const ofPerson = statement<
  { person: number; words: readonly string[]; after_brand: number } & After,
  Entry & { brand_id: number }
>(
  (p) =>
    sql`select brand_id, created_at, id::text as id from platform.redact_audit_of_person(${p.person}, ${p.words}, ${p.after_brand}, ${p.after_at}, ${p.after_id}, ${p.bite})`,
)
const ofBrand = brandStatement<After, Entry>(
  (p) =>
    sql`select created_at, id::text as id from platform.redact_audit_of_brand(${p.brand_id}, ${p.after_at}, ${p.after_id}, ${p.bite})`,
)

const bite = 500
const start = [0, '-infinity', '0'] as const

/** Entries stay, with ids only: what was done when, by whom to whom. */
export const auditErasure: ErasurePart = {
  part: 'audit',
  async person(ctx, { id: person, addresses: words }, position) {
    const [after_brand, after_at, after_id] = position ? JSON.parse(position) : start
    const last = await ctx
      .overBrands()
      .db.first(ofPerson, { person, words, after_brand, after_at, after_id, bite })
    return last && JSON.stringify([last.brand_id, last.created_at, last.id])
  },
  async brand(ctx, position) {
    const [after_at, after_id] = position ? JSON.parse(position) : start.slice(1)
    const last = await ctx.db.first(ofBrand, { after_at, after_id, bite })
    return last && JSON.stringify([last.created_at, last.id])
  },
}
