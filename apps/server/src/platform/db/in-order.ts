type Results<T extends readonly unknown[]> = { -readonly [At in keyof T]: Awaited<T[At]> }

/**
 * Waits for statements of a transaction that were sent together. When one fails, Postgres refuses all that follow
 * it, so the first in order that failed is the reason; `Promise.all` would throw whichever was heard of first.
 */
export async function inOrder<const T extends readonly Promise<unknown>[]>(
  statements: T,
): Promise<Results<T>> {
  const settled = await Promise.allSettled(statements)
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as Results<T>
}
