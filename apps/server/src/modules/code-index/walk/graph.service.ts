import type { CodeGraph } from '@crewhall/contracts/code-index/graph.ts'
import * as refused from '@crewhall/contracts/code-index/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { getProject } from '../projects/projects.service.ts'
import { presentGraph } from './graph.present.ts'
import { walkFrom } from './walk.service.ts'
import { listEdgesBetween } from './walk.store.ts'

interface Asked {
  readonly path?: string | undefined
  readonly depth: number
}

const mostEdges = 5000
const query = { kinds: ['import', 'call', 'contains'], direction: 'both', hub_cap: 25 } as const

/** The neighbourhood of a place as a picture: what a walk reaches, and every edge between. */
export async function getCodeGraph(
  ctx: BrandCtx,
  project_id: string,
  { path = '', depth }: Asked,
): Promise<CodeGraph> {
  await getProject(ctx, project_id)
  const found = await walkFrom(ctx, project_id, { paths: [path], node_ids: [] }, { ...query, depth }, read)
  if (!found) throw refused.noReadyIndex()
  if (found.walked.reached.size === 0) throw refused.codeNotFound()
  return presentGraph(found.walked, found.more, query.hub_cap)
}

const read = (ctx: BrandCtx, nids: readonly number[]) => listEdgesBetween(ctx, nids, mostEdges)
