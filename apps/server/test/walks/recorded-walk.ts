import type { BrandCtx } from '#platform/ctx/ctx.ts'

export interface SentStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

interface Prepared {
  readonly name: string
  readonly sql: string
  bind(params: object, brandId: number): unknown[]
}

/** A context that notes what is sent, inside of its snapshots and outside. */
export function recorded<Ctx extends BrandCtx>(
  ctx: Ctx,
): { readonly ctx: Ctx; readonly sent: readonly SentStatement[] } {
  const sent: SentStatement[] = []
  const noting = (inside: BrandCtx): BrandCtx => {
    const db = new Proxy(inside.db, {
      get: (target, name: 'all') => (statement: Prepared, params: object) => {
        const values = statement.bind(params, ctx.brandId)
        sent.push({ name: statement.name, text: statement.sql, values })
        return target[name](statement as never, params)
      },
    })
    return new Proxy(inside, { get: (target, name: 'db') => (name === 'db' ? db : target[name]) })
  }
  const snapshot: Ctx['snapshot'] = (read, options) => ctx.snapshot((ctx) => read(noting(ctx)), options)
  const get = (target: Ctx, name: string) => (name === 'snapshot' ? snapshot : target[name as 'db'])
  return { ctx: new Proxy(noting(ctx) as Ctx, { get }), sent }
}

/** Begin, the statement that enters the workspace, and commit come on top of what a walk sends. */
export const around = 3
