import type { AdminBrand } from '@crewhall/contracts/identity/admin.ts'
import type { BrandRow } from './admin.store.ts'

export function presentAdminBrand(row: BrandRow): AdminBrand {
  const { id, name, plan_key, subscription_status, subscription_ends_at, scope_ceiling, created_at } = row
  const subscription = { status: subscription_status, ends_at: subscription_ends_at }
  return { id, name, plan_key, subscription, scope_ceiling, created_at }
}
