import { createHash, randomUUIDv7 } from 'node:crypto'
import type { MemoryWorkspace } from './memory-world.ts'

export interface Proposal {
  readonly id: string
  readonly kind: string
  readonly reason: string
  readonly memory_id: string | null
  readonly other_memory_id: string | null
  readonly content: Readonly<Record<string, unknown>>
  readonly origin: Readonly<Record<string, unknown>> | null
  readonly state: string
  readonly kept: string | null
  readonly made_memory_id: string | null
  readonly decided_by: { readonly id: string } | null
}

export const draft = {
  kind: 'fact',
  title: 'Proposed',
  body: 'The build takes four minutes.',
  description: null,
  tags: ['build'],
  importance: 'normal',
  confidence: 0.8,
}
export const origin = {
  conversation_id: '00000000-0000-4000-8000-00000000000c',
  source_id: '00000000-0000-4000-8000-00000000000d',
  source_type: 'claude_code',
  message_seqs: [3, 4],
  quote: 'it takes four minutes now',
  model: 'stub',
  prompt_version: 1,
}

interface Proposed {
  readonly kind?: 'new' | 'change' | 'conflict'
  readonly reason?: string
  readonly memory_id?: string
  readonly other_memory_id?: string
  readonly content?: object
  /** The text that a change was made for. */
  readonly base?: { readonly title: string; readonly body: string }
  readonly agent?: string
}

let last = ''
/** Two of the same millisecond have no order: each is later than the one before. */
function nextId(): string {
  let id = randomUUIDv7()
  while (id <= last) id = randomUUIDv7()
  last = id
  return id
}

/** As automation leaves it; there is no route that files one. */
export async function propose(work: MemoryWorkspace, proposed: Proposed = {}): Promise<string> {
  const { kind = 'new', reason = 'like_deleted', memory_id = null, other_memory_id = null } = proposed
  const id = nextId()
  const { base, content = draft, agent = work.agent } = proposed
  const text = base && [base.title, base.body].map((each) => each.toLowerCase()).join('\n')
  const base_hash = text === undefined ? null : createHash('sha256').update(text).digest()
  await work.world.sql(
    `insert into memory.proposals
       (brand_id, id, agent_id, kind, reason, memory_id, other_memory_id, content, base_hash, origin, digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, sha256(gen_random_uuid()::text::bytea))`,
    [work.brand_id, id, agent, kind, reason, memory_id, other_memory_id, content, base_hash, origin],
  )
  return id
}
