/** Less than the time a scrape may take, which is 10 s unless it is set. */
export const readLimitMs = 3000

/**
 * What a scrape asks the database. It waits so long at most: a scrape that waits longer fails as a whole, and with it
 * everything that would tell why. One read at a time: while a database is silent, more of them would take all
 * connections. Undefined when it failed or takes too long.
 */
export function scrapedRead<T>(
  read: () => Promise<T>,
  limitMs: number = readLimitMs,
): () => Promise<T | undefined> {
  let reading: Promise<T | undefined> | undefined
  return async () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(late.resolve, limitMs, undefined)
    try {
      return await Promise.race([reading, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
