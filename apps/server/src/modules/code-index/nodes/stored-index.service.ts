import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { StoredIndex, StoredRow } from '../publication/plan.rules.ts'
import { listEdgesOf, listNodesAfter } from './nodes.store.ts'

const page = 5000

/**
 * Everything that is stored of a project, page by page. Only the run that holds the epoch changes it, so the pages fit
 * together without a snapshot.
 */
export async function* readStored(
  ctx: BrandCtx,
  project_id: string,
): AsyncGenerator<{ nodes: StoredRow[]; edges: { src: number[]; kind: number[]; dst: number[] } }> {
  for (let after = 0; ; ) {
    const nodes = await listNodesAfter(ctx, project_id, after, page)
    const live = nodes.filter(({ is_live }) => is_live).map(({ nid }) => nid)
    yield { nodes, edges: await listEdgesOf(ctx, live) }
    if (nodes.length < page) return
    after = nodes.at(-1)?.nid ?? after
  }
}

/** The pages as one. */
export async function collectStored(
  pages: AsyncIterable<{ nodes: StoredRow[]; edges: { src: number[]; kind: number[]; dst: number[] } }>,
): Promise<StoredIndex> {
  const nodes: StoredRow[] = []
  const [src, kind, dst]: [number[], number[], number[]] = [[], [], []]
  for await (const page of pages) {
    for (const node of page.nodes) nodes.push(node)
    for (const each of page.edges.src) src.push(each)
    for (const each of page.edges.kind) kind.push(each)
    for (const each of page.edges.dst) dst.push(each)
  }
  return {
    nodes,
    edges: { src: Int32Array.from(src), kind: Uint8Array.from(kind), dst: Int32Array.from(dst) },
  }
}
