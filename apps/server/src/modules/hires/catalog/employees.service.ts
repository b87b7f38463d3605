import type { Employee, EmployeeDetails } from '@crewhall/contracts/hires/employees.ts'
import { employeeNotFound } from '@crewhall/contracts/hires/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { presentEmployee, presentEmployeeDetails } from './catalog.present.ts'
import * as store from './catalog.store.ts'

export async function listEmployees(
  ctx: BrandCtx,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<{ items: Employee[]; next_after: string | null }> {
  // One row more than asked for shows whether there is a next page.
  const rows = await store.listPublished(ctx, { after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return {
    items: page.map(presentEmployee),
    next_after: rows.length > limit ? (page.at(-1)?.key ?? null) : null,
  }
}

export async function getEmployee(ctx: BrandCtx, profile_id: string): Promise<EmployeeDetails> {
  const row = await store.findPublished(ctx, profile_id)
  if (!row) throw employeeNotFound()
  return presentEmployeeDetails(row)
}
