/** Something that happened in a workspace, as every channel tells it: feed, stream and webhooks. */
export interface WorkspaceEvent {
  /** Of the entry that the feed keeps. */
  readonly id: string
  /** Such as `task.moved`. */
  readonly type: string
  readonly created_at: string
  readonly board_id: string
  /** What is told of it to the outside. */
  readonly data: Readonly<Record<string, unknown>>
}
