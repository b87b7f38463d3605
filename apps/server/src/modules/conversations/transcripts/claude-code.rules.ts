import { blocksOf, type Fields, fieldsOf, idOf, sentAtOf, textOf, toolTextOf } from './jsonl.rules.ts'
import { readSession, type Skipped, saidIn } from './session.rules.ts'
import type { Message, Role, Transcript } from './transcript.rules.ts'

/** What is told about a session, and not said in it. */
const bookkeeping = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'attribution-snapshot',
  'content-replacement',
  'custom-title',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'speculation-accept',
  'summary',
  'tag',
  'worktree-state',
])

/**
 * A session of Claude Code, `~/.claude/projects/<directory>/<session>.jsonl`. One answer of the model is several lines
 * with the same `message.id`, one block each; a request that was tried again repeats blocks under that id.
 */
export const readClaudeCode = (jsonl: string): Transcript =>
  readSession(jsonl, {
    own: withoutCopies,
    saidBy,
    nodeOf: (record) => ({ id: idOf(record.uuid), parent: parentOf(record) }),
    leafOf(records, said) {
      const leaf = said.findLastIndex((messages) =>
        messages.some(({ role }) => role === 'person' || role === 'agent'),
      )
      return leaf === -1 ? records.length - 1 : leaf
    },
    // Such as a call under way.
    has_loose_end: true,
    nameOf: (records) =>
      records.map(({ sessionId }) => idOf(sessionId)).findLast((id) => id !== null) ?? null,
  })

/**
 * Work of subagents is another conversation. Copies are lines that a continued session carries over, and blocks of a
 * request that was made again.
 */
function withoutCopies(records: readonly Fields[], skipped: Skipped): Fields[] {
  const uuids = new Set<string>()
  const blocks = new Set<string>()
  return records.filter((record) => {
    if (record.isSidechain === true) {
      skipped.add('sidechain')
      return false
    }
    const uuid = idOf(record.uuid)
    const block = repeatableKey(record)
    const isCopy = (uuid !== null && uuids.has(uuid)) || (block !== undefined && blocks.has(block))
    if (uuid !== null) uuids.add(uuid)
    if (block !== undefined) blocks.add(block)
    if (isCopy) skipped.add('duplicate')
    return !isCopy
  })
}

function repeatableKey(record: Fields): string | undefined {
  const message = fieldsOf(record.message)
  const id = idOf(message.id)
  return record.type === 'assistant' && id !== null ? `${id} ${JSON.stringify(message.content)}` : undefined
}

/** A compaction begins a new tree; `logicalParentUuid` says what was before it. */
const parentOf = (record: Fields): string | null => idOf(record.parentUuid) ?? idOf(record.logicalParentUuid)

function saidBy(record: Fields, skipped: Skipped): Message[] {
  const common = { id: idOf(record.uuid), sent_at: sentAtOf(record.timestamp) }
  const message = (role: Role, text: string | undefined) => saidIn(common, role, text)
  if (record.type === 'user' || record.type === 'assistant') {
    const role = authorOf(record)
    return blocksOf(fieldsOf(record.message).content).flatMap((block) => {
      const part = partOf(block, role, skipped)
      return part === undefined ? [] : message(part.role, part.text)
    })
  }
  if (record.type === 'system') return message('system', textOf(record.content))
  if (record.type === 'attachment') return queuedIn(fieldsOf(record.attachment), skipped, message)
  skipped.add(
    typeof record.type === 'string' && bookkeeping.has(record.type) ? 'bookkeeping' : 'unknown_record',
  )
  return []
}

/** Much that stands in a `user` record was written by the program: hints, summaries of a compaction, notes. */
function authorOf(record: Fields): Role {
  if (
    record.isMeta === true ||
    record.isCompactSummary === true ||
    record.isVisibleInTranscriptOnly === true
  ) {
    return 'system'
  }
  if (record.type === 'user') return isTyped(record) ? 'person' : 'system'
  const isInvented = record.isApiErrorMessage === true || fieldsOf(record.message).model === '<synthetic>'
  return isInvented ? 'system' : 'agent'
}

/** Where the record says who spoke, it must be a human: a peer is another agent. */
function isTyped({ origin, isMeta }: Fields): boolean {
  const kind = fieldsOf(origin).kind
  return isMeta !== true && (kind === undefined || kind === 'human')
}

/** What a person types while the agent works is no `user` record. */
function queuedIn(
  attachment: Fields,
  skipped: Skipped,
  message: (role: Role, text: string | undefined) => Message[],
): Message[] {
  const mode = attachment.commandMode
  const isPrompt = attachment.type === 'queued_command' && (mode === undefined || mode === 'prompt')
  if (!isPrompt || !isTyped(attachment)) {
    skipped.add('attachment')
    return []
  }
  return blocksOf(attachment.prompt).flatMap((block) => message('person', textOf(block.text)))
}

function partOf(
  block: Fields,
  role: Role,
  skipped: Skipped,
): { role: Role; text: string | undefined } | undefined {
  switch (block.type) {
    case 'text':
      return { role, text: textOf(block.text) }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return { role: 'tool', text: toolTextOf(block.name, block.input) }
    case 'tool_result':
    case 'mcp_tool_result':
    case 'web_search_tool_result':
      return { role: 'tool', text: textOf(toolTextOf(undefined, block.content)) }
    case 'thinking':
    case 'redacted_thinking':
      skipped.add('thinking')
      return undefined
    case 'image':
    case 'document':
      skipped.add('attachment')
      return undefined
    default:
      skipped.add('unknown_block')
      return undefined
  }
}
