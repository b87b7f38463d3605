import type {
  Attempt,
  Candidate,
  ConversationEntry,
  StoredMessage,
} from '@crewhall/contracts/conversations/conversations.ts'
import type { ConversationRow } from '../intake/intake.store.ts'
import type { AttemptRow, CandidateRow, MessageRow } from './ledger.store.ts'

export const presentEntry = (row: ConversationRow): ConversationEntry => ({
  id: row.id,
  source_id: row.source_id,
  agent_id: row.agent_id,
  conversation_id: row.external_id,
  state: row.state,
  reason: row.reason,
  attempts: row.attempts,
  next_try_at: row.next_try_at,
  message_count: row.message_count,
  read_through: row.read_through,
  dropped: { ...row.dropped },
  redacted: row.redacted,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const presentAttempt = (row: AttemptRow, candidates: readonly CandidateRow[]): Attempt => ({
  number: row.number,
  started_at: row.started_at,
  ended_at: row.ended_at,
  outcome: row.outcome,
  first_seq: row.first_seq,
  end_seq: row.end_seq,
  calls: row.calls,
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  model: row.model,
  produced: row.produced,
  rejected: row.rejected,
  error: row.error,
  candidates: candidates.filter(({ attempt }) => attempt === row.number).map(presentCandidate),
})

const presentCandidate = ({ decision, reason, memory_id, other_memory_id }: CandidateRow): Candidate => ({
  decision,
  reason,
  memory_id,
  other_memory_id,
})

export const presentMessage = ({ seq, role, text, sent_at }: MessageRow): StoredMessage => ({
  seq,
  role,
  text,
  sent_at,
})
