import { changesSince, keysOfNode, nodesAfter } from '#modules/code-index'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './changed-code.store.ts'

/** Nodes that are looked up at a time, and memories of them that one statement puts into the queue. */
const nodesAtOnce = 500
const memoriesAtOnce = 1000
const first = '00000000-0000-0000-0000-000000000000'

/**
 * Memories that may mean another node since an index has become visible: those that name a place or a name where something
 * appeared or left, and those whose linked code is gone. A part of one project at a time. What is done twice does no harm.
 */
export async function queueChanged(ctx: OutsideBrandCtx): Promise<void> {
  const project = await store.findChangedProject(ctx)
  if (!project) return
  const { project_id, change_version: version, change_nid: nid } = project
  const changes = await changesSince(ctx, project_id, { version, nid }, nodesAtOnce)
  const last = changes.at(-1)
  if (last) {
    const renamed = changes.filter(({ change }) => change !== 'reparented')
    const gone = changes.filter(({ change }) => change === 'removed')
    await queueNaming(ctx, [
      ...renamed,
      ...renamed.map(({ old_path, old_symbol }) => ({ path: old_path, symbol: old_symbol })),
    ])
    await queueLinked(
      ctx,
      gone.map((change) => change.nid),
    )
    await store.updateChange(ctx, project, last)
    if (changes.length === nodesAtOnce) return
  }
  const created = await nodesAfter(ctx, project_id, project.new_nid, nodesAtOnce)
  const newest = created.at(-1)
  if (newest) {
    await queueNaming(ctx, created)
    await store.updateNew(ctx, project_id, newest.nid)
    if (created.length === nodesAtOnce) return
  }
  await store.updateWalked(ctx, project)
}

async function queueNaming(
  ctx: OutsideBrandCtx,
  nodes: readonly { readonly path: string; readonly symbol: string }[],
): Promise<void> {
  const keys = [...new Set(nodes.flatMap(keysOfNode))]
  if (keys.length === 0) return
  for (let after: store.KeyUse | undefined = { key: '', memory_id: first }; after; ) {
    const found: store.KeyUse[] = await store.queueNamingAfter(ctx, keys, after, memoriesAtOnce)
    after = found[memoriesAtOnce - 1]
  }
}

async function queueLinked(ctx: OutsideBrandCtx, nids: readonly number[]): Promise<void> {
  if (nids.length === 0) return
  for (let after: store.NodeUse | undefined = { nid: 0, memory_id: first }; after; ) {
    const found: store.NodeUse[] = await store.queueLinkedAfter(ctx, nids, after, memoriesAtOnce)
    after = found[memoriesAtOnce - 1]
  }
}
