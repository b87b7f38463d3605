/** One step of a conversation, whatever tool writes it down. */
export type Turn =
  | { readonly by: 'person' | 'agent'; readonly text: string }
  /** A call of a tool and what it gave back. */
  | { readonly by: 'tool'; readonly name: string; readonly output: string }
  /** In the file, but not said in this conversation: thoughts, summaries, work of others, copies. */
  | { readonly by: 'nobody'; readonly text: string }

export const sourceTypes = ['claude_code', 'openclaw', 'messages'] as const
export type SourceForm = (typeof sourceTypes)[number]
