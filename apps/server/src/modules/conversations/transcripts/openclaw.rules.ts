import { blocksOf, type Fields, fieldsOf, idOf, sentAtOf, textOf, toolTextOf } from './jsonl.rules.ts'
import { readSession, type Skipped, saidIn } from './session.rules.ts'
import type { Message, Role, Transcript } from './transcript.rules.ts'

const bookkeeping = new Set([
  'custom',
  'label',
  'leaf',
  'model_change',
  'reset',
  'session',
  'session_info',
  'thinking_level_change',
])

const roles: Readonly<Record<string, Role>> = {
  user: 'person',
  assistant: 'agent',
  toolResult: 'tool',
  bashExecution: 'tool',
  system: 'system',
  custom: 'system',
  hookMessage: 'system',
  branchSummary: 'system',
  compactionSummary: 'system',
}

/**
 * A session of OpenClaw, `~/.openclaw/agents/<agent>/sessions/<session>.jsonl`: a header, then records that form a tree
 * by `id` and `parentId`. Files of version 1 have neither and are read in order.
 */
export const readOpenclaw = (jsonl: string): Transcript =>
  readSession(jsonl, {
    own: withoutCopies,
    saidBy,
    nodeOf: ({ id, parentId }) => ({ id: idOf(id), parent: idOf(parentId) }),
    leafOf,
    has_loose_end: false,
    nameOf: (records) => idOf(records.find(({ type }) => type === 'session')?.id),
  })

function withoutCopies(records: readonly Fields[], skipped: Skipped): Fields[] {
  const ids = new Set<string>()
  return records.filter((record) => {
    const id = record.type === 'session' ? null : idOf(record.id)
    const isCopy = id !== null && ids.has(id)
    if (id !== null) ids.add(id)
    if (isCopy) skipped.add('duplicate')
    return !isCopy
  })
}

/** The record a session goes on from: the last one, or the one that a later `leaf` points at. */
function leafOf(entries: readonly Fields[]): number {
  const last = entries.at(-1)
  if (last?.type !== 'leaf') return entries.length - 1
  const target = entries.findLastIndex(({ id }) => id === last.targetId)
  return target === -1 ? entries.length - 1 : target
}

function saidBy(entry: Fields, skipped: Skipped): Message[] {
  const inner = fieldsOf(entry.message)
  const common = { id: idOf(entry.id), sent_at: sentAtOf(entry.timestamp, inner.timestamp) }
  const message = (role: Role, text: string | undefined) => saidIn(common, role, text)
  switch (entry.type) {
    case 'message':
      return partsOf(inner, skipped).flatMap(({ role, text }) => message(role, text))
    case 'compaction':
    case 'branch_summary':
      return message('system', textOf(entry.summary))
    case 'custom_message':
      return blocksOf(entry.content).flatMap((block) => message('system', textOf(block.text)))
    default:
      skipped.add(
        typeof entry.type === 'string' && bookkeeping.has(entry.type) ? 'bookkeeping' : 'unknown_record',
      )
      return []
  }
}

interface Part {
  readonly role: Role
  readonly text: string | undefined
}

function partsOf(inner: Fields, skipped: Skipped): Part[] {
  const role =
    typeof inner.role === 'string' && Object.hasOwn(roles, inner.role) ? roles[inner.role] : undefined
  if (role === undefined) {
    skipped.add('unknown_record')
    return []
  }
  // What was sent to a channel is written down a second time, as if the agent had said it here.
  if (inner.provider === 'openclaw' && inner.model === 'delivery-mirror') {
    skipped.add('delivery_copy')
    return []
  }
  if (inner.role === 'bashExecution') return [{ role, text: textOf(toolTextOf(inner.command, inner.output)) }]
  if (typeof inner.summary === 'string') return [{ role, text: textOf(inner.summary) }]
  if (role === 'tool') return [{ role, text: textOf(toolTextOf(inner.toolName, inner.content)) }]
  const speaker = role === 'person' && !isTyped(inner) ? 'system' : role
  return blocksOf(inner.content).flatMap((block) => partOf(block, speaker, skipped) ?? [])
}

/** Other sessions and the program itself also speak as the user, and say so. */
function isTyped({ provenance }: Fields): boolean {
  const kind = fieldsOf(provenance).kind
  return kind === undefined || kind === 'external_user'
}

function partOf(block: Fields, role: Role, skipped: Skipped): Part | undefined {
  switch (block.type) {
    case 'text':
      return { role, text: textOf(block.text) }
    case 'toolCall':
    case 'tool_use':
      return { role: 'tool', text: toolTextOf(block.name, block.arguments ?? block.input) }
    case 'toolResult':
    case 'tool_result':
      return { role: 'tool', text: textOf(toolTextOf(block.toolName, block.content)) }
    case 'thinking':
      skipped.add('thinking')
      return undefined
    case 'image':
      skipped.add('attachment')
      return undefined
    default:
      skipped.add('unknown_block')
      return undefined
  }
}
