import type { CodeGraph } from '../graph/graph.rules.ts'
import type { History } from '../identity/history.rules.ts'
import { identify } from '../identity/identity.rules.ts'
import { type BlobAsked, blobKey, blobsToRead, dateRemovals } from '../identity/removal.rules.ts'
import { storable } from './bounds.rules.ts'
import { type Plan, planChanges, type StoredIndex } from './plan.rules.ts'

/** The names of the symbols in each of these contents, in the same order; undefined where nobody can tell. */
export type SymbolsOf = (asked: readonly BlobAsked[]) => Promise<readonly (readonly string[] | undefined)[]>

/**
 * What has to change so that the stored index becomes this graph. It compares everything in memory and touches no database:
 * it belongs into the process that has made the graph, not on the event loop of a worker.
 */
export async function prepareIndex(
  stored: StoredIndex,
  found: CodeGraph,
  history: History,
  symbolsOf: SymbolsOf,
): Promise<Plan> {
  const graph = storable(found)
  const identity = identify(stored.nodes, graph.nodes, history)
  const files = new Map(
    stored.nodes
      .filter(({ kind, is_live }) => kind === 'file' && is_live)
      .map(({ path, nid }) => [path, nid]),
  )
  const asked = blobsToRead(identity, files)
  const read = asked.length === 0 ? [] : await symbolsOf(asked)
  const symbols = new Map(
    asked.flatMap((blob, at) => {
      const names = read[at]
      return names ? [[blobKey(blob), new Set(names)] as const] : []
    }),
  )
  return planChanges(stored, graph, identity, history, dateRemovals(identity, history, files, symbols))
}
