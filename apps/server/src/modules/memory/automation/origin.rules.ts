import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'

/** Where automation has something from. */
export interface Origin {
  readonly conversation_id: string
  readonly source_id: string
  readonly source_type: string
  readonly message_seqs: readonly number[]
  /** Verbatim. */
  readonly quote: string
  readonly model: string
  readonly prompt_version: number
}

/** Whom the history names: the conversation, so that all it did can be found and undone. */
export const originActor = ({ conversation_id, source_type }: Origin): Actor => ({
  kind: 'system',
  id: conversation_id,
  name: source_type,
  on_behalf_of: null,
})

const longestQuote = 300
const mostSeqs = 100
/** M1: within the bounds of its row. */
export const boundedOrigin = (origin: Origin): Origin => ({
  ...origin,
  quote: [...origin.quote].slice(0, longestQuote).join(''),
  message_seqs: origin.message_seqs.slice(0, mostSeqs),
})
