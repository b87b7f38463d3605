import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ClonePlaces } from '../repositories/clone-places.ts'
import { findRepository } from '../repositories/repositories.store.ts'

/** Copies on this machine of repositories that are no longer attached. Others may lie on other machines. */
export async function dropStaleClones(
  ctx: OutsideSystemCtx,
  places: ClonePlaces,
  signal: AbortSignal,
): Promise<void> {
  for await (const id of places.list()) {
    if (signal.aborted) return
    const repository = await findRepository(ctx.forBrand(id.brand_id), id.project_id)
    if (repository?.generation !== id.generation) await places.drop(id)
  }
}
