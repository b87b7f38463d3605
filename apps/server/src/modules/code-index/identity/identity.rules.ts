import type { GraphNode } from '../graph/graph.rules.ts'
import { type FollowedFiles, followFiles } from './files.rules.ts'
import { followFolders } from './folders.rules.ts'
import type { History } from './history.rules.ts'
import { followSymbols } from './symbols.rules.ts'

/** A node as the index has it. Those that are gone keep their rows, so that code that returns has its id again. */
export interface StoredNode extends GraphNode {
  readonly nid: number
  readonly is_live: boolean
  /** The version of the index that took it out; 0 for a live one. */
  readonly removed_version: number
}

export interface Identity {
  /** For each node of the graph the id that it has already; undefined for a new one. */
  readonly nids: readonly (number | undefined)[]
  /** Live so far, and not in the graph any more. */
  readonly gone: readonly StoredNode[]
  readonly files: FollowedFiles
}

/** What is compared when two nodes of one repository are compared by place. */
export const placeOf = (kind: GraphNode['kind'], path: string, symbol: string): string =>
  kind === 'symbol' ? `${path}\0${symbol}` : `${kind} ${path}`

/** Which node of the new graph is which of the old one. */
export function identify(
  stored: readonly StoredNode[],
  nodes: readonly GraphNode[],
  history: History,
): Identity {
  const old = byKind(stored)
  const replayed = replayable(history)
  const files = followFiles({ live: byPath(old.live.file), removed: lastByPath(old.removed.file) }, replayed)
  const ids = new Ids(nodes)
  for (const [path, nid] of files.at) ids.take('file', path, '', nid)
  for (const { path, nid } of lastRemoved(old.removed.file)) ids.take('file', path, '', nid)
  const movedTo = new Map([...files.at].map(([path, nid]) => [nid, path]))
  followFolders({ folders: old.live.folder, files: old.live.file, movedTo }, ids)
  for (const { path, nid } of lastRemoved(old.removed.folder)) ids.take('folder', path, '', nid)
  const isKin = history.kind !== 'unrelated'
  followSymbols({ symbols: old.live.symbol, files: byPath(old.live.file), movedTo, isKin }, ids)
  for (const { path, symbol, nid } of lastRemoved(old.removed.symbol)) ids.take('symbol', path, symbol, nid)
  const gone = stored.filter(({ nid, is_live }) => is_live && !ids.has(nid))
  return { nids: ids.nids, gone, files }
}

/** A history that nobody can replay is one step at most: everything happened in the commit that is indexed now. */
function replayable({ kind, commit, steps, ends }: History): Pick<History, 'steps' | 'ends'> {
  if (kind === 'linear') return { steps, ends }
  if (ends && (kind === 'rewritten' || kind === 'shallow' || kind === 'too_long'))
    return { steps: [{ commit, changes: ends }], ends: null }
  return { steps: [], ends: null }
}

/** The ids of a new graph while they are found. A place is taken once, and so is an id. */
export class Ids {
  readonly nodes: readonly GraphNode[]
  readonly nids: (number | undefined)[]
  readonly #places: Map<string, number>
  readonly #taken = new Set<number>()

  constructor(nodes: readonly GraphNode[]) {
    this.nodes = nodes
    this.nids = nodes.map(() => undefined)
    this.#places = new Map(nodes.map(({ kind, path, symbol }, at) => [placeOf(kind, path, symbol), at]))
  }

  has(nid: number): boolean {
    return this.#taken.has(nid)
  }

  /** The position of a node in the graph. */
  find(kind: GraphNode['kind'], path: string, symbol: string): number | undefined {
    return this.#places.get(placeOf(kind, path, symbol))
  }

  take(kind: GraphNode['kind'], path: string, symbol: string, nid: number): boolean {
    const at = this.find(kind, path, symbol)
    return at !== undefined && this.takeAt(at, nid)
  }

  takeAt(at: number, nid: number): boolean {
    if (this.nids[at] !== undefined || this.#taken.has(nid)) return false
    this.nids[at] = nid
    this.#taken.add(nid)
    return true
  }
}

type OfKind = Record<GraphNode['kind'], StoredNode[]>

function byKind(stored: readonly StoredNode[]): { live: OfKind; removed: OfKind } {
  const kinds = (): OfKind => ({ folder: [], file: [], symbol: [] })
  const all = { live: kinds(), removed: kinds() }
  for (const node of stored) all[node.is_live ? 'live' : 'removed'][node.kind].push(node)
  return all
}

const byPath = (nodes: readonly StoredNode[]): Map<string, number> =>
  new Map(nodes.map(({ path, nid }) => [path, nid]))

const lastByPath = (nodes: readonly StoredNode[]): Map<string, number> => byPath(lastRemoved(nodes).reverse())

/** The last one that was removed comes first: where several were at a place, that one returns. */
const lastRemoved = (nodes: readonly StoredNode[]): StoredNode[] =>
  nodes.toSorted((a, b) => b.removed_version - a.removed_version || b.nid - a.nid)
