import type { FileVersion } from './files.rules.ts'
import { foldersAbove } from './folders.rules.ts'
import type { History } from './history.rules.ts'
import type { Identity, StoredNode } from './identity.rules.ts'

/** A content whose symbols must be known, to tell which commit took one out. The path tells the language. */
export interface BlobAsked {
  readonly path: string
  readonly blob: string
}

export const blobKey = ({ path, blob }: BlobAsked): string => `${blob} ${path}`

/** Beyond this many, a removal is dated by the commit that is indexed: somebody has not indexed for very long. */
const mostBlobs = 2000

/** Contents between the two commits of files that have lost symbols, each once. */
export function blobsToRead(identity: Identity, files: ReadonlyMap<string, number>): BlobAsked[] {
  const asked = new Map<string, BlobAsked>()
  const seen = new Set<number>()
  for (const { kind, path } of identity.gone) {
    const file = kind === 'symbol' ? files.get(path) : undefined
    if (file === undefined || seen.has(file)) continue
    seen.add(file)
    // The last one is what is there now, and lacks the symbol: the graph has told so.
    for (const version of (identity.files.versions.get(file) ?? []).slice(0, -1))
      if (version.blob !== null)
        asked.set(blobKey({ path: version.path, blob: version.blob }), {
          path: version.path,
          blob: version.blob,
        })
  }
  return asked.size > mostBlobs ? [] : [...asked.values()]
}

/** The commit that took out each node that is gone. Where it cannot be told, the one in which it is missed first. */
export function dateRemovals(
  identity: Identity,
  history: History,
  files: ReadonlyMap<string, number>,
  /** Names in the contents of `blobsToRead`, by `blobKey`. */
  symbols: ReadonlyMap<string, ReadonlySet<string>>,
): Map<number, string> {
  const left = lastLeft(history)
  return new Map(identity.gone.map((node) => [node.nid, dateOf(node)]))

  function dateOf(node: StoredNode): string {
    if (node.kind === 'folder') return left.get(node.path) ?? history.commit
    if (node.kind === 'file') return identity.files.removed_in.get(node.nid) ?? history.commit
    const versions = identity.files.versions.get(files.get(node.path) ?? -1) ?? []
    return dateOfSymbol(node.symbol, versions, symbols) ?? history.commit
  }
}

/** The first commit without it after the last one with it. */
function dateOfSymbol(
  symbol: string,
  versions: readonly FileVersion[],
  symbols: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  let commit = versions.at(-1)?.commit
  for (const { blob, path, commit: earlier } of versions.slice(0, -1).reverse()) {
    if (blob !== null) {
      const names = symbols.get(blobKey({ path, blob }))
      if (!names) return undefined
      if (names.has(symbol)) return commit
    }
    commit = earlier
  }
  return commit
}

/** The last commit that took a file out of each folder. */
function lastLeft({ steps }: History): Map<string, string> {
  const left = new Map<string, string>()
  for (const { commit, changes } of steps)
    for (const { status, old_path } of changes)
      if (status === 'deleted' || status === 'renamed')
        for (const folder of foldersAbove(old_path)) left.set(folder, commit)
  return left
}
