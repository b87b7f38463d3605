import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'
import type { NodeChange } from '../nodes/changes.rules.ts'

/** An index that becomes visible with this transaction. */
export interface ShownIndex {
  readonly project_id: string
  readonly version: number
  readonly commit_id: string
}

/** A regular file of a commit. */
export interface CommitFile {
  readonly path: string
  readonly blob_id: string
  readonly bytes: number
}

/** The commit that is about to be shown, for those who keep something in files of the repository. */
export interface IndexedCommit {
  readonly project_id: string
  readonly commit_id: string
  /** All below a folder. Names that are no text are left out, as are links and submodules. */
  listFiles(folder: string): Promise<CommitFile[]>
  /** In the order of the ids; undefined where there is none. */
  readBlobs(blob_ids: readonly string[]): Promise<(Uint8Array | undefined)[]>
  /** Nodes that this index takes out. */
  readonly removed: readonly number[]
  /** Of symbols among them: new symbols with a similar body, the most similar first. Where nothing is similar, nothing. */
  listSimilar(nids: readonly number[]): Promise<ReadonlyMap<number, readonly SimilarSymbol[]>>
}

/** What may have become of a symbol that is gone. A suggestion only: nobody follows it unasked. */
export interface SimilarSymbol {
  readonly path: string
  readonly symbol: string
  /** From 0.6 to 1. */
  readonly similarity: number
}

/**
 * Whoever stands on nodes. They are told inside the transaction that makes an index visible, so readers see both or
 * neither. It may run again, so nothing may leave the database; and it is short, so nothing slow belongs here.
 */
export interface IndexFollower {
  /** Before all others and outside of any transaction. Who it returns is told of this index instead of it. */
  prepare?(ctx: OutsideBrandCtx, commit: IndexedCommit): Promise<IndexFollower>
  /** Nodes that were moved, removed or revived: at most 1,000 at a time, as often as needed, or not at all. */
  nodesChanged(ctx: BrandTx, index: ShownIndex, changes: readonly NodeChange[]): Promise<void>
  /** Once, after that. Nodes that are new are found by their places from here on. */
  indexShown?(ctx: BrandTx, index: ShownIndex): Promise<void>
}

export const indexFollowers = port<IndexFollower>('code-index.followers')
