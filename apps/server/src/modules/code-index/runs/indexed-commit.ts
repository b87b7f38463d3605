import { BlobReader, listTree } from '../graph/git-objects.ts'
import type { IndexedCommit } from '../publication/index-followers.ports.ts'
import { type Compared, similarSymbols } from './similar-symbols.ts'

/** Files of a commit in a copy; `close` ends what reads them. */
export function indexedCommit(project_id: string, compared: Compared): IndexedCommit & { close(): void } {
  const { git_dir, commit, plan, signal } = compared
  let blobs: BlobReader | undefined
  return {
    project_id,
    commit_id: commit,
    async listFiles(folder) {
      const entries = await listTree(git_dir, commit, signal, folder)
      return entries.flatMap(({ path, kind, oid, size }) =>
        path === undefined || kind !== 'file' ? [] : [{ path, blob_id: oid, bytes: size }],
      )
    },
    async readBlobs(blob_ids) {
      signal.throwIfAborted()
      blobs ??= new BlobReader(git_dir)
      return blob_ids.length === 0 ? [] : blobs.read(blob_ids)
    },
    removed: plan.removed.map(({ nid }) => nid),
    listSimilar: (nids) => similarSymbols(compared, nids),
    close() {
      blobs?.close()
    },
  }
}
