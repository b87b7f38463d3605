/** What is known of one feed and not yet shown, newest first, and where it goes on; null at its end. */
export interface HeldFeed<Entry> {
  readonly entries: readonly Entry[]
  readonly before: string | null
}

/**
 * The next entries of several feeds in the order of time. It ends where one of them would have to be read on, so that
 * nothing is shown above what is newer.
 */
export function mergeFeeds<Entry extends { readonly created_at: string }>(
  feeds: readonly HeldFeed<Entry>[],
): { readonly items: readonly Entry[]; readonly rest: readonly (readonly Entry[])[] } {
  const taken = feeds.map(() => 0)
  const items: Entry[] = []
  const heads = () => feeds.map(({ entries }, n) => entries[taken[n] ?? 0])
  for (;;) {
    const next = heads()
    const mustRead = feeds.some(({ before }, n) => before !== null && next[n] === undefined)
    const latest = mustRead ? undefined : latestOf(next)
    if (latest === undefined) break
    items.push(next[latest] as Entry)
    taken[latest] = (taken[latest] ?? 0) + 1
  }
  return { items, rest: feeds.map(({ entries }, n) => entries.slice(taken[n])) }
}

function latestOf(heads: readonly ({ readonly created_at: string } | undefined)[]): number | undefined {
  let latest: number | undefined
  let at = Number.NEGATIVE_INFINITY
  for (const [n, head] of heads.entries()) {
    const time = head === undefined ? Number.NEGATIVE_INFINITY : Date.parse(head.created_at)
    if (time <= at) continue
    latest = n
    at = time
  }
  return latest
}
