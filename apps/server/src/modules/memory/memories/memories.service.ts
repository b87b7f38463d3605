import { createHash, randomUUIDv7 } from 'node:crypto'
import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import {
  type Memory,
  type MemoryKind,
  type MemoryStatus,
  memoryKinds,
  memoryStatuses,
} from '@crewhall/contracts/memory/fields.ts'
import type { ChangeAction } from '@crewhall/contracts/memory/history.ts'
import type { MemoryChange, NewMemory } from '@crewhall/contracts/memory/memories.ts'
import { memoryNotFound, unknownCursor } from '@crewhall/contracts/memory/refusals.ts'
import { findAgent, holdAgent } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { insertChange } from '../history/history.store.ts'
import { updateClosedOf } from '../review/proposals.store.ts'
import { type Content, changedContent, newContent, normalisedText, verifiedContent } from './change.rules.ts'
import { presentEntry, presentMemory } from './memories.present.ts'
import * as store from './memories.store.ts'
import { isPersonActing, memoryActorOf } from './memory-actor.ts'
import { deleteTombstones, insertTombstone } from './tombstones.store.ts'

interface Because {
  readonly reason?: string | null | undefined
  /** Whom the history names; the caller, unless somebody else is behind it. */
  readonly actor?: Actor | undefined
}

export const createMemory = (ctx: BrandCtx, memory: NewMemory) =>
  ctx.tx(async (ctx) => {
    const { agent_id } = await holdAgent(ctx, memory.agent_id)
    const content = newContent(memory, isPersonActing(ctx.actor))
    const possible_duplicate_of = await store.findAlike(ctx, agent_id, hashOf(content))
    const row = await writeNew(ctx, agent_id, content, {})
    return { ...presentMemory(row, ctx.now()), possible_duplicate_of }
  })

/** Under an agent that is held. */
export async function writeNew(
  ctx: BrandTx,
  agent_id: string,
  content: Content,
  { reason = null, actor = memoryActorOf(ctx.actor) }: Because,
): Promise<store.MemoryRow> {
  const id = randomUUIDv7()
  await insertChange(ctx, { id, version: 1, action: 'created', reason, actor })
  const text_hash = hashOf(content)
  const row = await store.insertMemory(ctx, {
    id,
    agent_id,
    ...content,
    text_hash,
    actor: JSON.stringify(actor),
  })
  if (!row) throw memoryNotFound()
  await emit(ctx, 'memory.created', row)
  return row
}

export async function getMemory(ctx: BrandCtx, id: string): Promise<Memory> {
  const row = await store.findMemory(ctx, id)
  if (!row) throw memoryNotFound()
  return presentMemory(row, ctx.now())
}

export const changeMemory = (ctx: BrandCtx, id: string, change: MemoryChange): Promise<Memory> =>
  ctx.tx(async (ctx) => {
    // The lock comes before the comparison: two changes of different fields must both remain.
    const before = await store.lockMemory(ctx, id)
    if (!before) throw memoryNotFound()
    const content = changedContent(before, change, { now: ctx.now(), isPerson: isPersonActing(ctx.actor) })
    if (!content) return presentMemory(before, ctx.now())
    return presentMemory(await writeChange(ctx, before, content, 'updated', change), ctx.now())
  })

export const verifyMemory = (ctx: BrandCtx, id: string, because: Because): Promise<Memory> =>
  ctx.tx(async (ctx) => {
    const before = await store.lockMemory(ctx, id)
    if (!before) throw memoryNotFound()
    const content = verifiedContent(before, isPersonActing(ctx.actor))
    return presentMemory(await writeChange(ctx, before, content, 'verified', because), ctx.now())
  })

export const discardMemory = (ctx: BrandCtx, id: string, { reason }: Because): Promise<void> =>
  ctx.tx(async (ctx) => {
    const before = await store.lockMemory(ctx, id)
    if (!before) throw memoryNotFound()
    await writeDeletion(ctx, before, { reason })
  })

/** Under the lock of the memory. */
export async function writeDeletion(
  ctx: BrandTx,
  before: store.MemoryRow,
  { reason = null, actor = memoryActorOf(ctx.actor) }: Because,
): Promise<void> {
  const { id } = before
  const version = before.version + 1
  await insertChange(ctx, { id, version, action: 'deleted', reason, actor })
  if (isPersonActing(ctx.actor)) await insertTombstone(ctx, { id, version, cause: 'deleted', actor })
  await store.deleteMemory(ctx, id)
  await updateClosedOf(ctx, id, actor)
  await emit(ctx, 'memory.deleted', { ...before, version })
}

/** Under the lock of the memory. What is there now goes into the history. */
export async function writeChange(
  ctx: BrandTx,
  before: store.MemoryRow,
  content: Content,
  action: ChangeAction,
  { reason = null, actor = memoryActorOf(ctx.actor) }: Because,
): Promise<store.MemoryRow> {
  const { id } = before
  const version = before.version + 1
  const text_hash = hashOf(content)
  await insertChange(ctx, { id, version, action, reason, actor })
  // What a person has corrected stays corrected: extraction must not bring the old text back as another memory.
  if (isPersonActing(ctx.actor) && !text_hash.equals(hashOf(before))) {
    await insertTombstone(ctx, { id, version, cause: 'corrected', actor })
    await deleteTombstones(ctx, id, text_hash)
  }
  const row = await store.updateMemory(ctx, { id, ...content, text_hash, actor: JSON.stringify(actor) })
  if (!row) throw memoryNotFound()
  await emit(ctx, 'memory.updated', row)
  return row
}

export const hashOf = (content: { title: string; body: string }): Buffer =>
  createHash('sha256').update(normalisedText(content)).digest()

export const emit = (
  ctx: BrandTx,
  type: 'memory.created' | 'memory.updated' | 'memory.deleted' | 'memory.restored',
  { id, agent_id, kind, status, version }: store.EntryRow,
): Promise<void> => ctx.emit({ type, subject_id: id, data: { agent_id, kind, status, version } })

interface ListQuery {
  readonly agent_id?: string | undefined
  readonly kinds: readonly MemoryKind[]
  readonly status?: MemoryStatus | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}
/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export async function listMemoryPage(ctx: BrandCtx, cursors: Cursors, query: ListQuery) {
  const { agent_id, kinds, status, limit, cursor } = query
  const list = `memories:${ctx.brandId}`
  const before = cursor === undefined ? newest : cursors.read(list, cursor)
  if (before === undefined) throw unknownCursor()
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  const statuses = status === undefined ? memoryStatuses : [status]
  const rows = await store.listMemories(ctx, agent_id, { statuses, kinds, before, limit: limit + 1 })
  return pageOf(ctx, rows, limit, ({ id }) => cursors.issue(list, id))
}

interface ExpiringQuery {
  readonly agent_id?: string | undefined
  readonly within_days: number
  readonly limit: number
  readonly cursor?: string | undefined
}
const first = '-infinity|00000000-0000-0000-0000-000000000000'

export async function listExpiringPage(ctx: BrandCtx, cursors: Cursors, query: ExpiringQuery) {
  const { agent_id, within_days, limit, cursor } = query
  const list = `fading-memories:${ctx.brandId}`
  const position = cursor === undefined ? first : cursors.read(list, cursor)
  const [after_at, after_id] = position?.split('|') ?? []
  if (!after_at || !after_id) throw unknownCursor()
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  const page = { kinds: memoryKinds, after_at, after_id, within_days, limit: limit + 1 }
  const rows = await store.listFading(ctx, agent_id, page)
  return pageOf(ctx, rows, limit, ({ fades_at, id }) => cursors.issue(list, `${fades_at}|${id}`))
}

/** Stores are asked for one row more than the limit: if it came, there is a next page. */
function pageOf<Row extends store.EntryRow>(
  ctx: BrandCtx,
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const now = ctx.now()
  return {
    memories: page.map((row) => presentEntry(row, now)),
    next_cursor: last && rows.length > limit ? cursorOf(last) : null,
  }
}
