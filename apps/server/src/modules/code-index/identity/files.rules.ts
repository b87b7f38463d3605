import type { FileChange, History, Step } from './history.rules.ts'

/** A state of a file within the history; null where it was deleted. */
export interface FileVersion {
  readonly commit: string
  readonly path: string
  readonly blob: string | null
}

/** Where the files that were indexed before are now. */
export interface FollowedFiles {
  /** Ids by the path where the file is now. */
  readonly at: ReadonlyMap<string, number>
  /** The commits that deleted those that are gone. */
  readonly removed_in: ReadonlyMap<number, string>
  /** What happened to them, from the oldest to the newest. */
  readonly versions: ReadonlyMap<number, readonly FileVersion[]>
}

interface Known {
  readonly live: ReadonlyMap<string, number>
  /** The last one that was at a path, where nothing is now. */
  readonly removed: ReadonlyMap<string, number>
}

/** A file while history is replayed. One that came up on the way has no id. */
interface Followed {
  readonly nid: number | undefined
  readonly versions: FileVersion[]
  removed_in: string | undefined
}

/**
 * Replays renames commit by commit. What was deleted in one commit and came back in a later one at the same path is the
 * same file. What was deleted in one commit and came back elsewhere in another one is found by the difference of the ends.
 */
export function followFiles(known: Known, { steps, ends }: Pick<History, 'steps' | 'ends'>): FollowedFiles {
  const replay = new Replay(known)
  for (const step of steps) replay.apply(step)
  for (const change of ends ?? []) if (change.status === 'renamed') replay.join(change)
  return replay.result()
}

class Replay {
  readonly #at = new Map<string, Followed>()
  readonly #removed = new Map<string, Followed>()
  readonly #all: Followed[] = []
  /** Those that were there at the beginning, by their path then. */
  readonly #first = new Map<string, Followed>()

  constructor({ live, removed }: Known) {
    for (const [path, nid] of live) {
      const file = this.#follow(nid)
      this.#at.set(path, file)
      this.#first.set(path, file)
    }
    for (const [path, nid] of removed) this.#removed.set(path, this.#follow(nid))
  }

  /** All changes of a commit happen at once: everything leaves its place before anything takes one. */
  apply({ commit, changes }: Step): void {
    const left = new Map<string, Followed>()
    for (const { status, old_path } of changes) {
      if (status !== 'renamed' && status !== 'deleted') continue
      const file = this.#at.get(old_path)
      if (!file) continue
      this.#at.delete(old_path)
      left.set(old_path, file)
      if (status === 'renamed') continue
      file.removed_in = commit
      file.versions.push({ commit, path: old_path, blob: null })
      this.#removed.set(old_path, file)
    }
    for (const change of changes) this.#arrive(commit, change, left)
  }

  /** The difference of the ends says that a deleted file and a new one are the same. */
  join({ old_path, path }: FileChange): void {
    const file = this.#first.get(old_path)
    const later = this.#at.get(path)
    if (file?.removed_in === undefined || (later && later.nid !== undefined)) return
    file.removed_in = undefined
    file.versions.push(...(later?.versions ?? []))
    this.#at.set(path, file)
  }

  result(): FollowedFiles {
    const known = this.#all.filter((file) => file.nid !== undefined)
    return {
      at: new Map(
        [...this.#at].flatMap(([path, { nid }]) => (nid === undefined ? [] : [[path, nid] as const])),
      ),
      removed_in: new Map(
        known.flatMap(({ nid, removed_in }) => (removed_in ? [[nid as number, removed_in] as const] : [])),
      ),
      versions: new Map(known.map(({ nid, versions }) => [nid as number, versions])),
    }
  }

  #follow(nid: number | undefined): Followed {
    const file = { nid, versions: [], removed_in: undefined }
    this.#all.push(file)
    return file
  }

  #arrive(commit: string, change: FileChange, left: ReadonlyMap<string, Followed>): void {
    const { status, path, old_path, blob } = change
    if (status === 'deleted') return
    const file =
      (status === 'renamed' ? left.get(old_path) : undefined) ?? this.#at.get(path) ?? this.#returned(path)
    file.removed_in = undefined
    file.versions.push({ commit, path, blob })
    this.#at.set(path, file)
  }

  #returned(path: string): Followed {
    const file = this.#removed.get(path) ?? this.#follow(undefined)
    this.#removed.delete(path)
    return file
  }
}
