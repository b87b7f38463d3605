export interface SentStatement {
  readonly text: string
  readonly values: unknown[]
}

interface Made {
  readonly sql: string
  bind(params: unknown, brandId: number): unknown[]
}

/**
 * What a function of a store would send, for its plan or to send it without the product. It is called with a context
 * that writes statements down and finds nothing.
 */
export function sentBy<Ctx>(brandId: number, call: (ctx: Ctx) => unknown): SentStatement[] {
  const sent: SentStatement[] = []
  const recording =
    <T>(result: T) =>
    async (statement: Made, params: unknown): Promise<T> => {
      sent.push({ text: statement.sql, values: statement.bind(params, brandId) })
      return result
    }
  const db = { all: recording([]), first: recording(undefined), run: recording(0) }
  const ctx = { brandId, db, overBrands: () => ctx }
  // Statements are sent before the function waits for the first of them, so nobody needs to wait here.
  void Promise.resolve(call(ctx as Ctx)).catch(() => {})
  return sent
}

/** For a function that sends one. */
export function onlySentBy<Ctx>(brandId: number, call: (ctx: Ctx) => unknown): SentStatement {
  const [first, ...others] = sentBy(brandId, call)
  if (!first || others.length > 0) throw new Error(`it sends ${others.length + (first ? 1 : 0)} statements`)
  return first
}
