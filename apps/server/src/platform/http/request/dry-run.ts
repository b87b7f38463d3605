import { type AnyRoute, isRead, takesDryRun } from '@crewhall/contracts/route.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { invalid } from '#platform/http/request/validate.ts'

const checkAll = statement<object, unknown>(() => sql`set constraints all immediate`)

/** Whether a write is only tried. Where that is not possible it is refused: better than done in earnest (SYS-G5). */
export function isDryRun(spec: AnyRoute, query: unknown): boolean {
  if (isRead(spec)) return false
  const asked = (query as Record<string, unknown>).dry_run
  if (asked === undefined || asked === 'false') return false
  if (!takesDryRun(spec)) throw invalid(spec, 'dry_run: is not possible here')
  if (asked !== 'true') throw invalid(spec, 'dry_run: must be true or false')
  return true
}

/** Carries the answer out of a transaction that has to end without a commit. */
class DryRunDone<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('dry run done')
    this.result = result
  }
}

/** Does everything a request asks for, up to the last check before the commit, and takes it back. */
export async function dryRun<T>(ctx: BrandCtx, work: (ctx: BrandTx) => Promise<T>): Promise<T> {
  try {
    await ctx.tx(async (ctx) => {
      const result = await work(ctx)
      await ctx.db.run(checkAll, {})
      throw new DryRunDone(result)
    })
  } catch (error) {
    if (error instanceof DryRunDone) return error.result as T
    throw error
  }
  throw new Error('a dry run was committed')
}
