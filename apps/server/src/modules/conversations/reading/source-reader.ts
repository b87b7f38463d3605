import type { SourceConfig, SourceType } from '@crewhall/contracts/conversations/sources.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Message } from '../transcripts/transcript.rules.ts'

/** A source whose turn it is. */
export interface ReadSource {
  readonly id: string
  readonly agent_id: string
  readonly source_type: SourceType
  readonly config: SourceConfig
}

/** What was read of one conversation. It may be repeated: what is stored already is recognised by the ids of messages. */
export interface FoundConversation {
  /** Its name within the source. The same thing has the same name for ever. */
  readonly key: string
  readonly content:
    | { readonly messages: readonly Message[] }
    /** Lines of a session file; `place` tells apart equal messages without ids. */
    | { readonly native: string; readonly place: string }
  /** What the reader wants to know when it sees this conversation again (`marks.find`). At most 1,000 characters. */
  readonly mark: string
}

/** Committed as a whole: the conversation, its mark and the position. A crash repeats a step or does not. */
export interface Step {
  readonly conversation?: FoundConversation
  /** Where the next turn begins if this step is the last one of its turn. */
  readonly position: string
  /** At the end of a pass: how many things were left out, by reason. */
  readonly skipped?: Readonly<Record<string, number>>
}

/** What was remembered of conversations, by key. */
export interface Marks {
  find(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Fetches conversations of sources of one kind. */
export interface SourceReader {
  /**
   * One pass, from the position on; the end of the iteration is the end of the pass. A turn has a limit and may end after
   * any step, so every step carries a position. Nothing is stored between steps, so a reader may be slow.
   */
  read(
    ctx: OutsideBrandCtx,
    source: ReadSource,
    from: { readonly position: string; readonly marks: Marks },
    signal: AbortSignal,
  ): AsyncIterable<Step>
}

export type Readers = Readonly<Partial<Record<'directory' | 'boards', SourceReader>>>

/**
 * Why a source cannot be read. `pauses` says whether it waits for a person: at once, after the whole ladder of attempts,
 * or never, because the cause may go away by itself.
 */
export class Unreadable extends Error {
  readonly reason: string
  readonly pauses: 'now' | 'later' | 'never'
  /** For people, where it pauses. */
  readonly told: string

  constructor(reason: string, pauses: 'now' | 'later' | 'never', told: string, options?: ErrorOptions) {
    super(`the source cannot be read: ${reason}`, options)
    this.name = 'Unreadable'
    this.reason = reason
    this.pauses = pauses
    this.told = told
  }
}
