/** What a transaction could see, and when: a snapshot of Postgres. */
export interface Look {
  readonly snapshot: string
  readonly at: string
}

export interface After {
  readonly created_at: string
  readonly id: string
}

/**
 * The position of a reader of a whole workspace. On its boards: everything visible to snapshot `from` was sent, and of
 * what `upto` sees in addition, entries up to `after` in time order. In its log: everything up to an event.
 */
export interface StreamPosition {
  readonly from: Look
  readonly upto: Look | null
  readonly after: After | null
  readonly log: After
}

/** Before everything. */
export const start: After = { created_at: '1970-01-01T00:00:00Z', id: '0' }

const textOf = (look: Look | null): string => (look ? `${look.snapshot}|${look.at}` : '|')
const afterText = (after: After | null): string => (after ? `${after.created_at}|${after.id}` : '|')

export const derivePosition = ({ from, upto, after, log }: StreamPosition): string =>
  [textOf(from), textOf(upto), afterText(after), afterText(log)].join('|')

/** Back from `derivePosition`: positions are signed, so they are what was issued. */
export function derivePlace(position: string): StreamPosition {
  const [from = '', fromAt = '', upto = '', uptoAt = '', time = '', id = '', logTime = '', logId = ''] =
    position.split('|')
  return {
    from: { snapshot: from, at: fromAt },
    upto: upto === '' ? null : { snapshot: upto, at: uptoAt },
    after: time === '' ? null : { created_at: time, id },
    log: { created_at: logTime, id: logId },
  }
}

interface Timed {
  readonly created_at: string
}

/** Each list keeps its own order, also where its times do not rise. */
export function mergeByTime<T extends Timed>(one: readonly T[], other: readonly T[]): T[] {
  const merged: T[] = []
  let [a, b] = [0, 0]
  for (;;) {
    const [first, second] = [one[a], other[b]]
    if (first === undefined) return [...merged, ...other.slice(b)]
    if (second === undefined) return [...merged, ...one.slice(a)]
    const isFirst = first.created_at <= second.created_at
    merged.push(isFirst ? first : second)
    if (isFirst) a += 1
    else b += 1
  }
}
