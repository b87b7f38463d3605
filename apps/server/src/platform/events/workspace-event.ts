import type { WorkspaceEventData, WorkspaceEventType } from '@crewhall/contracts/events.ts'

/** Something that happened outside of boards, as a module says it; the actor is that of the context. */
export type NewEvent<T extends WorkspaceEventType = WorkspaceEventType> = {
  readonly [Type in T]: {
    readonly type: Type
    readonly subject_id: string
    readonly data: WorkspaceEventData<Type>
  }
}[T]

/** A stored event, as streams and webhooks send it. */
export interface KeptEvent {
  /** Of the entry in the feed that keeps it. */
  readonly id: string
  /** Such as `task.moved`. */
  readonly type: string
  readonly created_at: string
  /** The board whose feed keeps it; null when the log of the workspace does. */
  readonly board_id: string | null
  /** The public payload. */
  readonly data: Readonly<Record<string, unknown>>
}

/** How far a reader has come in the log of a workspace: after this event. */
export interface LogPosition {
  readonly created_at: string
  readonly id: string
}
