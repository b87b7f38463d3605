import { edgeKinds, type GraphEdge } from '../graph/graph.rules.ts'

/** Edges as columns: a repository has millions of them, and objects would take ten times the memory. */
export interface EdgeColumns {
  readonly src: Int32Array
  readonly kind: Uint8Array
  readonly dst: Int32Array
}

export interface EdgeDifference {
  readonly removed: EdgeColumns
  readonly added: EdgeColumns
}

/** `kind` of a stored edge is its position in `edgeKinds`. */
export const kindNumber = (kind: GraphEdge['kind']): number => edgeKinds.indexOf(kind)

/** A new node has an id below zero until it is stored, so nothing that is stored leads to it or away from it. */
export function edgeDifference(
  stored: EdgeColumns,
  edges: readonly GraphEdge[],
  nids: Int32Array,
): EdgeDifference {
  const before = new BigUint64Array(stored.src.length)
  for (let at = 0; at < before.length; at += 1)
    before[at] = keyOf(stored.src[at] ?? 0, stored.kind[at] ?? 0, stored.dst[at] ?? 0)
  const old: bigint[] = []
  const fresh: number[][] = []
  for (const { kind, from, to } of edges) {
    const [src, dst] = [nids[from] ?? 0, nids[to] ?? 0]
    if (src < 0 || dst < 0) fresh.push([src, kindNumber(kind), dst])
    else old.push(keyOf(src, kindNumber(kind), dst))
  }
  const after = BigUint64Array.from(old)
  return {
    removed: columnsOf([...missingFrom(before.sort(), after.sort())].map(edgeOf)),
    added: columnsOf([...[...missingFrom(after, before)].map(edgeOf), ...fresh]),
  }
}

/** Of two sorted lists, what only the first one has. */
function* missingFrom(some: BigUint64Array, others: BigUint64Array): Iterable<bigint> {
  let at = 0
  for (const each of some) {
    while (at < others.length && (others[at] as bigint) < each) at += 1
    if (others[at] !== each) yield each
  }
}

/** 31 bits for each id and two for the kind. */
const keyOf = (src: number, kind: number, dst: number): bigint =>
  (BigInt(src) << 33n) | (BigInt(kind) << 31n) | BigInt(dst)

const edgeOf = (key: bigint): number[] => [
  Number(key >> 33n),
  Number((key >> 31n) & 3n),
  Number(key & 0x7fffffffn),
]

export const columnsOf = (edges: readonly (readonly number[])[]): EdgeColumns => ({
  src: Int32Array.from(edges, ([src = 0]) => src),
  kind: Uint8Array.from(edges, ([, kind = 0]) => kind),
  dst: Int32Array.from(edges, ([, , dst = 0]) => dst),
})
