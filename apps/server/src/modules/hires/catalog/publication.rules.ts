import type { EmployeeManager, EmployeeStatus } from '@crewhall/contracts/hires/catalog.ts'

/** What is published: the draft, the last version again, or nothing because nothing is new. */
export function nextPublication(employee: {
  readonly status: EmployeeStatus
  readonly has_draft: boolean
}): 'draft' | 'again' | 'nothing' {
  if (employee.has_draft) return 'draft'
  return employee.status === 'withdrawn' ? 'again' : 'nothing'
}

/**
 * What a release does with an employee of its own. Whatever an operator has changed is theirs, and so is an employee that
 * they created under the same key before.
 */
export function nextOfRelease(
  found: { readonly profile_id: string; readonly managed_by: EmployeeManager } | undefined,
  shipped: { readonly profile_id: string; readonly is_same: boolean },
): 'publish' | 'same' | 'leave' {
  if (found?.managed_by !== 'release' || found.profile_id !== shipped.profile_id) return 'leave'
  return shipped.is_same ? 'same' : 'publish'
}
