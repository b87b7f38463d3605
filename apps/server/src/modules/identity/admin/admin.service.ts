import { foldAddress } from '@crewhall/contracts/folding.ts'
import type { AdminBrand, Plan } from '@crewhall/contracts/identity/admin.ts'
import {
  addressUnproven,
  brandNotFound,
  personNotFound,
  planNotFound,
} from '@crewhall/contracts/identity/refusals.ts'
import { defaultCeiling, type Scope, scopes } from '@crewhall/contracts/scopes.ts'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { notePlatform } from '../platform-audit/platform-audit.service.ts'
import { insertMembership } from '../sessions/sessions.store.ts'
import { presentAdminBrand } from './admin.present.ts'
import * as store from './admin.store.ts'
import { findPersonByEmail } from './staff.store.ts'

export const listAllPlans = (ctx: SystemCtx): Promise<Plan[]> => store.listPlans(ctx)

export const replacePlan = (ctx: SystemCtx, plan: Plan): Promise<Plan> =>
  ctx.tx(async (ctx) => {
    const from = await store.lockPlan(ctx, plan.key)
    const to = await store.updatePlan(ctx, { ...plan, features: [...new Set(plan.features)] })
    if (!from || !to) throw planNotFound()
    if (JSON.stringify(from) !== JSON.stringify(to))
      await notePlatform(ctx, { action: 'plan.changed', from, to })
    return to
  })

export async function listBrandPage(
  ctx: SystemCtx,
  { after = 0, limit }: { after?: number | undefined; limit: number },
): Promise<{ brands: AdminBrand[]; next_after: number | null }> {
  // One row more than asked for shows whether there is a next page.
  const rows = await store.listBrandsAfter(ctx.overBrands(), after, limit + 1)
  const page = rows.slice(0, limit)
  return {
    brands: page.map(presentAdminBrand),
    next_after: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  }
}

interface NewBrand {
  readonly name: string
  readonly plan_key: string
  readonly admin_email?: string | undefined
}

export const openBrand = (ctx: SystemCtx, { name, plan_key, admin_email }: NewBrand): Promise<AdminBrand> =>
  ctx.overBrands().tx(async (ctx) => {
    const row = getBrand(await store.insertBrand(ctx, { name, plan_key, ceiling: defaultCeiling }))
    if (admin_email !== undefined) {
      const person = await findPersonByEmail(ctx, foldAddress(admin_email))
      if (!person) throw personNotFound()
      // Someone else may have signed up with the address.
      if (!person.email_verified) throw addressUnproven()
      await insertMembership(ctx, row.id, person.id, 'admin')
      await ctx.emit(row.id, {
        type: 'member.added',
        subject_id: String(person.id),
        data: { user_id: person.id, role: 'admin', via: 'platform_admin' },
      })
    }
    const to = { name, plan_key, admin_email: admin_email ?? null }
    await ctx.audit(row.id, { action: 'brand.created', target: `brand:${row.id}`, from: null, to })
    return row
  })

interface BrandChange {
  readonly brand_id: number
  readonly action: string
  /** The part of a brand that this change is about. */
  part(brand: AdminBrand): unknown
  apply(ctx: SystemTx): Promise<store.BrandRow | undefined>
}

/** Old and new value under one lock, so that the audit log has the true old value. */
const changeBrand = (ctx: SystemCtx, { brand_id, action, part, apply }: BrandChange): Promise<AdminBrand> =>
  ctx.overBrands().tx(async (ctx) => {
    const before = getBrand(await store.lockBrand(ctx, brand_id))
    const after = getBrand(await apply(ctx))
    const [from, to] = [part(before), part(after)]
    if (JSON.stringify(from) !== JSON.stringify(to))
      await ctx.audit(brand_id, { action, target: `brand:${brand_id}`, from, to })
    return after
  })

export const moveToPlan = (ctx: SystemCtx, brand_id: number, plan_key: string) =>
  changeBrand(ctx, {
    brand_id,
    action: 'brand.plan_changed',
    part: ({ plan_key }) => ({ plan_key }),
    apply: (ctx) => store.updateBrandPlan(ctx, brand_id, plan_key),
  })

export const replaceSubscription = (
  ctx: SystemCtx,
  brand_id: number,
  subscription: { status: string; ends_at: string | null },
) =>
  changeBrand(ctx, {
    brand_id,
    action: 'brand.subscription_changed',
    part: ({ subscription }) => subscription,
    apply: (ctx) => store.updateSubscription(ctx, brand_id, subscription),
  })

/** AUTH-G10: tokens keep their scopes; those outside the new ceiling sleep from the next request on. */
export const replaceCeiling = (ctx: SystemCtx, brand_id: number, wanted: readonly Scope[]) => {
  const ceiling = scopes.filter((scope) => wanted.includes(scope))
  return changeBrand(ctx, {
    brand_id,
    action: 'brand.policy_changed',
    part: ({ scope_ceiling }) => ({ scope_ceiling }),
    apply: (ctx) => store.updateCeiling(ctx, brand_id, ceiling),
  })
}

function getBrand(row: store.BrandRow | undefined): AdminBrand {
  if (!row) throw brandNotFound()
  return presentAdminBrand(row)
}
