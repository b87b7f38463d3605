import type { Ids, StoredNode } from './identity.rules.ts'

interface Before {
  readonly symbols: readonly StoredNode[]
  /** Ids of the files by their old paths, and where these files are now. */
  readonly files: ReadonlyMap<string, number>
  readonly movedTo: ReadonlyMap<number, string>
  /** Whether old and new code have a history in common, so that equal bodies are more than a coincidence. */
  readonly isKin: boolean
}

/** A symbol keeps its id in its file, wherever that is now; and it takes it along with its body, if there is no doubt. */
export function followSymbols({ symbols, files, movedTo, isKin }: Before, ids: Ids): void {
  const gone: StoredNode[] = []
  for (const node of symbols) {
    const file = files.get(node.path)
    const path = file === undefined ? node.path : movedTo.get(file)
    if (path === undefined || !ids.take('symbol', path, node.symbol, node.nid)) gone.push(node)
  }
  if (!isKin || gone.length === 0) return
  const bodies = uniqueBy(gone.entries(), ({ body_hash }) => body_hash)
  const added = ids.nodes
    .entries()
    .filter(([at, { kind }]) => kind === 'symbol' && ids.nids[at] === undefined)
  for (const [body, at] of uniqueBy(added, ({ body_hash }) => body_hash)) {
    const node = gone[bodies.get(body) ?? -1]
    if (node) ids.takeAt(at, node.nid)
  }
}

/** Positions by what only one of them has. */
function uniqueBy<T>(
  entries: Iterable<readonly [number, T]>,
  keyOf: (item: T) => string | null,
): Map<string, number> {
  const found = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [at, item] of entries) {
    const key = keyOf(item)
    if (key === null) continue
    if (found.has(key)) repeated.add(key)
    found.set(key, at)
  }
  for (const key of repeated) found.delete(key)
  return found
}
