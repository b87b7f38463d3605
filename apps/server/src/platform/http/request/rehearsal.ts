import { type AnyRoute, takesRehearsal } from '@crewhall/contracts/route.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { invalid } from '#platform/http/request/validate.ts'

const checkAll = statement<object, unknown>(() => sql`set constraints all immediate`)

/** Whether a write is only tried. Where that is not possible it is refused: better than done in earnest (SYS-G5). */
export function isRehearsal(spec: AnyRoute, query: unknown): boolean {
  if (spec.method === 'GET') return false
  const asked = (query as Record<string, unknown>).dry_run
  if (asked === undefined || asked === 'false') return false
  if (!takesRehearsal(spec)) throw invalid(spec, 'dry_run: is not possible here')
  if (asked !== 'true') throw invalid(spec, 'dry_run: must be true or false')
  return true
}

/** Carries the answer out of a transaction that has to end without a commit. */
class Rehearsed<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('rehearsed')
    this.result = result
  }
}

/** Does everything a request asks for, up to the last check before the commit, and takes it back. */
export async function rehearse<T>(ctx: BrandCtx, work: (ctx: BrandTx) => Promise<T>): Promise<T> {
  try {
    await ctx.tx(async (ctx) => {
      const result = await work(ctx)
      await ctx.db.run(checkAll, {})
      throw new Rehearsed(result)
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T
    throw error
  }
  throw new Error('a rehearsal was committed')
}
