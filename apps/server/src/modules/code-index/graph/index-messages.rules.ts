import type { CodeGraph } from './graph.rules.ts'

export type IndexStage = 'list' | 'extract' | 'resolve'

/** To the process that indexes. */
export type ToIndexer =
  | { readonly type: 'start'; readonly git_dir: string; readonly commit: string; readonly threads: number }
  | { readonly type: 'known'; readonly id: number; readonly facts: ReadonlyMap<string, string> }
  | { readonly type: 'kept'; readonly id: number }

/** From it. */
export type FromIndexer =
  | { readonly type: 'get'; readonly id: number; readonly keys: readonly string[] }
  | { readonly type: 'put'; readonly id: number; readonly entries: readonly (readonly [string, string])[] }
  | { readonly type: 'progress'; readonly stage: IndexStage; readonly done: number; readonly total: number }
  | { readonly type: 'graph'; readonly graph: CodeGraph }
  | { readonly type: 'fault'; readonly message: string }
