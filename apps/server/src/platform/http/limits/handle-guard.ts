import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import type { Guard, Held } from '#platform/http/limits/guards.ts'

/** Counts requests by their handle, and needs to know no more of them. */
export interface HandleGuard extends Guard {
  enter(request: { readonly held: Held }): Error | undefined
  leave(held: Held): void
}

/**
 * Counts a request that is under way on the handle of the route that it stands for, up to the limits of that one. Returns
 * why there is no room; it is counted nowhere then.
 */
export function moveTo(
  handle: DatabaseHandle | undefined,
  held: Held,
  guards: readonly HandleGuard[],
): Error | undefined {
  if (held.handle === handle) return undefined
  for (const guard of guards) guard.leave(held)
  held.handle = handle
  for (const guard of guards) {
    const refused = guard.enter({ held })
    if (refused) return refused
  }
  return undefined
}
