import type { MemoryFileReason } from '@crewhall/contracts/memory/memory-file.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { hashOf } from '../memories/memories.service.ts'
import { fileProposal, type NewProposal } from '../review/proposals.service.ts'
import { changeOf, draftOf, type Edit, listEdits, mostEdits } from './edits.rules.ts'
import { listTexts } from './exports.store.ts'
import { type LineSource, plain, shortOf } from './lines.rules.ts'

/**
 * Makes proposals of what somebody has written into the section. Returns why the section has to stay as it is, if there is
 * no room for them. The same edit is asked about once, however often it is read.
 */
export async function fileEdits(
  ctx: OutsideBrandCtx,
  agent_id: string,
  lines: readonly string[],
  memory_ids: readonly string[],
): Promise<(MemoryFileReason & ('too_many_edits' | 'inbox_full')) | undefined> {
  const edits = listEdits(lines)
  if (edits.length === 0) return undefined
  if (edits.length > mostEdits) return 'too_many_edits'
  const memories = await listTexts(ctx, agent_id, memory_ids)
  return ctx.tx(async (ctx) => {
    for (const edit of edits) {
      const proposal = proposalOf(edit, memories)
      const filed = proposal && (await fileProposal(ctx, { agent_id, reason: 'edited_file', ...proposal }))
      if (filed && 'refused' in filed && filed.refused === 'inbox_full') return 'inbox_full'
    }
    return undefined
  })
}

/** Of a memory that is gone or archived, an edited line is a new one. */
function proposalOf(
  edit: Edit,
  memories: readonly LineSource[],
): Omit<NewProposal, 'agent_id' | 'reason'> | undefined {
  const { short } = edit.kind === 'changed' ? edit : { short: '' }
  const memory = memories.find(({ id }) => [shortOf(id, false), shortOf(id, true)].includes(short))
  if (memory) {
    const content = changeOf(memory, edit.text)
    return content && { kind: 'change', memory_id: memory.id, content, base_hash: hashOf(memory) }
  }
  const { title, body } = draftOf(plain(edit.text))
  const rest = { kind: 'fact', description: null, tags: [], importance: 'normal', confidence: 0.8 } as const
  return { kind: 'new', content: { ...rest, title, body } }
}
