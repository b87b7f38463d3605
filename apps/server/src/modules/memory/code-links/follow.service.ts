import type { IndexFollower } from '#modules/code-index'
import { updateVersion } from './changed-code.store.ts'
import * as store from './code-links.store.ts'

/** Links follow their code in the transaction that makes an index visible. */
export const linkFollower: IndexFollower = {
  async nodesChanged(ctx, _index, changes) {
    // First, so that no link is made meanwhile to code that is gone.
    await store.updateShown(ctx)
    await store.updateNodes(ctx, {
      nids: changes.map(({ nid }) => nid),
      paths: changes.map(({ path }) => path),
      symbols: changes.map(({ symbol }) => symbol),
      removed_in: changes.map(({ change, commit_id }) => (change === 'removed' ? commit_id : null)),
    })
  },
  // What is new may be what memories name already, which is looked up in the background.
  async indexShown(ctx, { project_id, version }) {
    await store.updateShown(ctx)
    await updateVersion(ctx, project_id, version)
  },
}
