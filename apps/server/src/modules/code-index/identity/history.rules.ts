/** What one commit did to one file, as git tells it. */
export interface FileChange {
  readonly status: 'added' | 'deleted' | 'changed' | 'renamed'
  readonly path: string
  /** Where it was before; the same as `path` unless it was renamed. */
  readonly old_path: string
  /** Its content afterwards; null for a deleted file. */
  readonly blob: string | null
}

export interface Step {
  readonly commit: string
  readonly changes: readonly FileChange[]
}

/**
 * How the commit that is indexed now came out of the one that was indexed before.
 * - `first`: nothing was indexed before.
 * - `linear`: it stands on it, and `steps` says how.
 * - `rewritten`: it does not (a forced push), but both have an ancestor in common.
 * - `unrelated`: they have none.
 * - `shallow`: the remote gives only a part of the history, so nobody can tell.
 * - `unknown_base`: the commit that was indexed before is not there any more.
 * - `too_long`: more commits than anybody replays.
 */
export type HistoryKind =
  | 'first'
  | 'linear'
  | 'rewritten'
  | 'unrelated'
  | 'shallow'
  | 'unknown_base'
  | 'too_long'

export interface History {
  readonly kind: HistoryKind
  /** What is indexed now. */
  readonly commit: string
  /** From the oldest to the newest; empty unless `linear`. */
  readonly steps: readonly Step[]
  /** The difference of the two trees; null if there is no first one. */
  readonly ends: readonly FileChange[] | null
  /** The files that are there now; only if `ends` is not known. */
  readonly present: ReadonlySet<string> | null
  /** Whether git has looked at similar files too, or at identical ones only because there were too many. */
  readonly renames: 'similar' | 'identical'
}

const noBlob = /^0+$/

/** Output of `git diff-tree --raw -z`, with `--stdin` or without. Records without a commit before them have ''. */
export function stepsOf(output: string): Step[] {
  const steps: { commit: string; changes: FileChange[] }[] = []
  const fields = output.split('\0')
  let at = 0
  const next = () => {
    const field = fields[at]
    at += 1
    if (field === undefined) throw new Error('the output of git ends in the middle of a record')
    return field
  }
  while (at < fields.length - 1) {
    const field = next()
    if (!field.startsWith(':')) {
      steps.push({ commit: field, changes: [] })
      continue
    }
    if (steps.length === 0) steps.push({ commit: '', changes: [] })
    steps.at(-1)?.changes.push(changeOf(field, next))
  }
  return steps
}

function changeOf(record: string, next: () => string): FileChange {
  const [, , , blob = '', status = ''] = record.split(' ')
  const old_path = next()
  const letter = status.charAt(0)
  if (letter === 'R') return { status: 'renamed', old_path, path: next(), blob }
  // A copy is not asked for; if git gives one, the new path is a new file.
  if (letter === 'C') {
    const path = next()
    return { status: 'added', old_path: path, path, blob }
  }
  const path = old_path
  if (letter === 'A') return { status: 'added', old_path, path, blob }
  if (letter === 'D' || noBlob.test(blob)) return { status: 'deleted', old_path, path, blob: null }
  return { status: 'changed', old_path, path, blob }
}

/**
 * The way from one commit up to another that stands on it: at a merge the first of its parents that leads there, so for
 * whoever merges into the indexed branch it is that branch. `parents` are lines of `rev-list --ancestry-path --parents`.
 */
export function wayUp(parents: ReadonlyMap<string, readonly string[]>, from: string, to: string): Parented[] {
  const way: Parented[] = []
  for (let at = to; at !== from; ) {
    const parent = parents.get(at)?.find((each) => each === from || parents.has(each))
    if (parent === undefined) throw new Error(`no way from ${from} to ${to}`)
    way.push({ commit: at, parent })
    at = parent
  }
  return way.reverse()
}

export interface Parented {
  readonly commit: string
  readonly parent: string
}

export const parentsOf = (output: string): Map<string, string[]> =>
  new Map(
    output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [commit = '', ...parents] = line.split(' ')
        return [commit, parents]
      }),
  )
