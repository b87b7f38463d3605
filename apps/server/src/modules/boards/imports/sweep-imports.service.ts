import { runImport } from '@crewhall/contracts/boards/jobs.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './imports.store.ts'

const biteSize = 100

/** Files that nobody started go after a day, imports after 90. What stands still, because its job gave up, is woken. */
export async function sweepImports(system: OutsideSystemCtx, signal: AbortSignal): Promise<void> {
  for (const { brand_id, id, state } of await store.listDue(system, biteSize)) {
    if (signal.aborted) return
    await system.forBrand(brand_id).tx(async (ctx) => {
      if (state === 'running' || state === 'undoing')
        await ctx.enqueue(runImport, { brand_id, import_id: id })
      else {
        const row = await store.lockImport(ctx, id)
        if (row?.state === state) await store.deleteImport(ctx, id)
      }
    })
  }
}
