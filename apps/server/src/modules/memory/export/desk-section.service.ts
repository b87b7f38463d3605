import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { readWanted } from './export.service.ts'
import { fileEdits } from './file-edits.service.ts'
import type { Layout } from './lines.rules.ts'

interface Given {
  /** Between the markers of a file; null if it has none. */
  readonly lines: readonly string[] | null
  /** Those that the section was written from. */
  readonly memory_ids: readonly string[]
}

/**
 * The section of an agent for a file that somebody else writes. What people have written into it becomes proposals before
 * it is replaced; without room for them the reason is returned, and the file has to stay.
 */
export async function exchangeSection(
  ctx: OutsideBrandCtx,
  agent_id: string,
  { lines, memory_ids }: Given,
): Promise<Layout | 'too_many_edits' | 'inbox_full'> {
  const wanted = await readWanted(ctx, agent_id)
  const known = [...memory_ids, ...wanted.memory_ids]
  const reason = lines === null ? undefined : await fileEdits(ctx, agent_id, lines, known)
  return reason ?? { lines: wanted.lines, memory_ids: wanted.memory_ids }
}
