import type { ResetReason } from '@crewhall/contracts/boards/stream.ts'
import type { Scope } from '@crewhall/contracts/scopes.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'

export interface StreamEntry {
  readonly type: string
  readonly data: object
  /** The scope a token needs to receive it. */
  readonly scope?: Scope
  /** After this entry. */
  readonly position: string
}

export interface StreamPage {
  readonly entries: readonly StreamEntry[]
  /** After all of them. */
  readonly position: string
  /** Nothing more was there when it was read. */
  readonly is_last: boolean
}

/** What a stream is read from. It keeps nothing: the position says how far a reader has come. */
export interface StreamSource {
  /** The list that its cursors belong to. */
  readonly list: string
  /** Where it ended when the caller asked. */
  readonly now: string
  /** What `ready` says of it. */
  readonly about: object
  /** Returns an unsubscribe function. */
  listen(wake: () => void): () => void
  /** Why the stream cannot resume there; undefined if it can. */
  refuses(ctx: BrandCtx, position: string): Promise<ResetReason | undefined>
  read(ctx: BrandCtx, position: string): Promise<StreamPage>
}
