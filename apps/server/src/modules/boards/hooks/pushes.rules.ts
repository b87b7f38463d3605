import { refsIn } from './refs.rules.ts'
import type { ToldPush } from './states.rules.ts'

const heads = 'refs/heads/'
const mostCommits = 20
const never = '1970-01-01T00:00:00.000Z'

interface Sent {
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly commits: readonly {
    readonly id: string
    readonly message: string
    readonly timestamp?: string | null | undefined
  }[]
}

/** Undefined for what is no branch. Where a host does not say when, the newest commit has to do. */
export function pushOf({ ref, before, after, commits }: Sent, pushed_at?: string): ToldPush | undefined {
  const branch = ref.slice(heads.length)
  if (!ref.startsWith(heads) || branch === '' || branch.length > 255) return undefined
  const times = commits.map(({ timestamp }) => timestamp ?? never)
  const at = pushed_at ?? times.toSorted().at(-1) ?? never
  const naming = commits
    .map(({ id: sha, message, timestamp }) => ({ sha, at: timestamp ?? at, refs: refsIn(message) }))
    .filter(({ refs }) => refs.length > 0)
  return { branch, before, after, at, commits: naming.slice(-mostCommits) }
}

export interface PushFacts {
  readonly before: string
  readonly after: string
  readonly at: string
}

/**
 * The last commit of a branch after these pushes, in whatever order they came; undefined if it is gone. Pushes name the
 * commit that they start from, so the last one is the one that no other starts from. Where several are, because one has
 * not come yet, or none is, because a branch was set back, time decides.
 */
export function headOf<P extends PushFacts>(pushes: readonly P[]): P | undefined {
  const left = new Set(pushes.map(({ before }) => before))
  const tips = pushes.filter(({ after }) => !left.has(after))
  const [head] = (tips.length > 0 ? tips : pushes).toSorted(byTime)
  return head && !/^0+$/.test(head.after) ? head : undefined
}

const byTime = (a: PushFacts, b: PushFacts): number => {
  const [one, other] = [a.at + a.after, b.at + b.after]
  return one > other ? -1 : one < other ? 1 : 0
}
