import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import * as store from './erase-memory.store.ts'

const bite = 1000
const start = '00000000-0000-0000-0000-000000000000'
const tables = ['memories', 'history', 'tombstones', 'proposals'] as const

interface Position {
  /** In the list of workspaces that the person was a member of; nobody else writes memories. */
  readonly brand: number
  readonly table: number
  readonly id: string
  readonly version: number
}

/** Memories belong to the workspace and stay; who wrote and changed them is forgotten. */
export async function erasePersonFromMemory(
  ctx: OutsideSystemCtx,
  { id: person, brand_ids }: ErasedPerson,
  position: string,
): Promise<Next> {
  const at: Position = position ? JSON.parse(position) : { brand: 0, table: 0, id: start, version: 0 }
  const brand_id = brand_ids[at.brand]
  if (brand_id === undefined) return undefined
  const last = await redact(ctx.forBrand(brand_id), person, at)
  if (last) return JSON.stringify({ ...at, ...last })
  const isLastTable = at.table + 1 === tables.length
  const next = isLastTable ? { brand: at.brand + 1, table: 0 } : { brand: at.brand, table: at.table + 1 }
  return JSON.stringify({ ...next, id: start, version: 0 })
}

function redact(ctx: Parameters<typeof store.redactMemories>[0], person: number, at: Position) {
  const { id, version } = at
  const wanted = { person, named: `"id": "${person}"`, bite, id }
  if (tables[at.table] === 'memories') return store.redactMemories(ctx, wanted)
  if (tables[at.table] === 'history') return store.redactHistory(ctx, { ...wanted, version })
  if (tables[at.table] === 'proposals') return store.redactProposals(ctx, wanted)
  return store.redactTombstones(ctx, wanted)
}

export const memoryRowsOfBrand = store.deletingAll
