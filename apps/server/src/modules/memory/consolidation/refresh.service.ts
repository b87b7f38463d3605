import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Content } from '../memories/change.rules.ts'
import { writeChange } from '../memories/memories.service.ts'
import type { MemoryRow } from '../memories/memories.store.ts'
import * as store from './consolidation.store.ts'
import { isOurs } from './merge.service.ts'
import { patternOf } from './pattern.rules.ts'

/**
 * M6: what a person has corrected or deleted stays so. A pattern is written anew from the sources that are still merged,
 * without what a model has said of the old ones; one that a person has edited is theirs and stays.
 */
export const refreshPattern = (ctx: BrandCtx, pattern_id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const tagged = await store.findTagged(ctx, pattern_id)
    if (!tagged || !(await store.tryLockAgent(ctx, tagged.agent_id))) return
    // Before the sources are read: whoever changes one after this says so again.
    await store.updateFresh(ctx, pattern_id)
    const [pattern] = await store.lockMemories(ctx, [pattern_id])
    if (!pattern || !isOurs(pattern)) return
    const content = refreshed(pattern, tagged.tag, await store.listMemories(ctx, pattern.evidence), ctx.now())
    await writeChange(ctx, pattern, content, 'updated', { reason: 'A source has changed' })
  })

function refreshed(pattern: MemoryRow, tag: string, evidence: readonly MemoryRow[], now: Date): Content {
  const sources = evidence.filter(({ status }) => status === 'merged')
  if (sources.length === 0) return { ...pattern, status: 'archived' }
  const { title, body, tags } = patternOf(tag, sources, now)
  return { ...pattern, title, body, tags }
}
