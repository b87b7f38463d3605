import { randomUUIDv7 } from 'node:crypto'
import { memoryNotFound } from '@crewhall/contracts/memory/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { insertChange } from '../history/history.store.ts'
import { emit, hashOf, writeChange } from '../memories/memories.service.ts'
import { insertMemory, type MemoryRow } from '../memories/memories.store.ts'
import { memoryActorOf } from '../memories/memory-actor.ts'
import { fewest, fitting, isGeneric } from './choice.rules.ts'
import * as store from './consolidation.store.ts'
import { type PatternText, patternOf, type Saying } from './pattern.rules.ts'

export const actorName = 'memory.consolidate'

export interface Plan {
  readonly tagged: store.Tagged
  /** The pattern of this tag that takes in more, and what is in it; undefined for a new one. */
  readonly growing: { readonly pattern: MemoryRow; readonly held: readonly MemoryRow[] } | undefined
  readonly chosen: readonly MemoryRow[]
}

/** The newest learnings of a tag that are looked at. More than fit into a pattern. */
const mostOpen = 200
/** To tell how common a tag is. A tag on more memories than this is generic, however many there are. */
const mostCounted = 10_000

/** What is to be merged now, if anything. Under the lock of the agent. */
export async function planMerge(
  ctx: BrandTx,
  tagged: store.Tagged,
  { isEarly }: { isEarly: boolean },
): Promise<Plan | undefined> {
  const open = await store.listOpen(ctx, tagged, mostOpen)
  if (open.length < fewest) return undefined
  if (!isEarly && isGeneric(await store.countUse(ctx, tagged, mostCounted))) return undefined
  const growing = await findGrowing(ctx, tagged)
  const joining = growing ? fitting(open, growing.held) : []
  if (joining.length >= fewest) return { tagged, growing, chosen: joining }
  const chosen = fitting(open)
  return chosen.length >= fewest ? { tagged, growing: undefined, chosen } : undefined
}

/** Its text is written anew when it takes in more. */
async function findGrowing(ctx: BrandTx, tagged: store.Tagged): Promise<Plan['growing']> {
  const id = await store.findGrowing(ctx, tagged)
  const [pattern] = id === undefined ? [] : await store.listMemories(ctx, [id])
  if (!pattern || !isOurs(pattern)) return undefined
  const held = await store.listMemories(ctx, pattern.evidence)
  return { pattern, held: held.filter(({ status }) => status === 'merged') }
}

/** Whether nobody but the platform has written it. */
export const isOurs = ({ kind, status, is_locked, updated_by }: MemoryRow): boolean =>
  kind === 'pattern' && status === 'active' && !is_locked && updated_by.id === actorName

/**
 * MEMO-G18: the pattern and the new status of its sources are one commit. Returns false if anything has changed since it
 * was planned.
 */
export const merge = (ctx: BrandCtx, plan: Plan, saying: Saying | undefined): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const { tagged, growing, chosen } = plan
    if (!(await store.tryLockAgent(ctx, tagged.agent_id))) return false
    const sources = [...(growing?.held ?? []), ...chosen]
    const planned = [...sources, ...(growing ? [growing.pattern] : [])]
    const found = await store.lockMemories(
      ctx,
      planned.map(({ id }) => id),
    )
    const versions = new Map(found.map(({ id, version }) => [id, version]))
    if (planned.some(({ id, version }) => versions.get(id) !== version)) return false
    const text = {
      ...patternOf(tagged.tag, sources, ctx.now(), saying),
      anchored_at: null,
      verified_at: null,
    }
    const pattern = growing
      ? await writeChange(ctx, growing.pattern, { ...growing.pattern, ...text }, 'updated', {})
      : await createPattern(ctx, tagged.agent_id, text)
    const ids = chosen.map(({ id }) => id)
    for (const source of chosen)
      await writeChange(ctx, source, { ...source, status: 'merged' }, 'merged', {
        reason: `Merged into ${pattern.id}`,
      })
    // After them: what changes from here on makes the pattern stale.
    await store.insertMerges(ctx, { ...tagged, pattern_id: pattern.id, ids })
    await ctx.faultPoint('memory.merged')
    const to = { memory_ids: ids }
    await ctx.audit({ action: 'memory.merged', target: `memory:${pattern.id}`, from: null, to })
    return true
  })

type NewPattern = PatternText & { readonly anchored_at: null }

async function createPattern(ctx: BrandTx, agent_id: string, text: NewPattern): Promise<MemoryRow> {
  const id = randomUUIDv7()
  const actor = memoryActorOf(ctx.actor)
  await insertChange(ctx, { id, version: 1, action: 'created', reason: null, actor })
  const row = await insertMemory(ctx, {
    id,
    agent_id,
    kind: 'pattern',
    status: 'active',
    description: null,
    is_locked: false,
    superseded_by: null,
    ...text,
    text_hash: hashOf(text),
    actor: JSON.stringify(actor),
  })
  if (!row) throw memoryNotFound()
  await emit(ctx, 'memory.created', row)
  return row
}
