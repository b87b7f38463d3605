import { randomBytes } from 'node:crypto'
import { memoryKinds } from '@crewhall/contracts/memory/fields.ts'
import {
  exportWorkspace,
  type MemoryFile,
  type MemoryFileReason,
  mostLines,
} from '@crewhall/contracts/memory/memory-file.ts'
import {
  type FoundSection,
  findSection,
  linesInside,
  withSection,
} from '@crewhall/contracts/memory/section.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Next } from '#platform/shared-files/rewriter.ts'
import type { Place, SharedFiles } from '#platform/shared-files/shared-files.ts'
import { presentFile } from './export.present.ts'
import * as store from './exports.store.ts'
import { fileEdits } from './file-edits.service.ts'
import { type Layout, layOut } from './lines.rules.ts'
import { mergeFiles } from './merge.rules.ts'
import { inOrder, nextChangeOfOrder } from './order.rules.ts'

/** Of each kind, of memories below the threshold of search: the newest of them. */
const mostLow = 2000
const brandsAtOnce = 100
const agentsAtOnce = 200
export const fileName = 'MEMORY.md'

/** From ids alone, which hold no separator and no dot. */
const placeOf = (brand_id: number, agent_id: string): Place => ({
  folders: [String(brand_id), agent_id],
  name: fileName,
})

/** A job for each workspace, so that they share the workers and none waits for all others. A second one does no harm. */
export async function enqueueExports(
  ctx: OutsideSystemCtx,
  files: SharedFiles,
  signal: AbortSignal,
): Promise<void> {
  if (!files.is_on) return
  for (let after = 0; !signal.aborted; ) {
    const brands = await store.listBrands(ctx, { after, limit: brandsAtOnce })
    await ctx.tx(async (ctx) => {
      for (const brand_id of brands) await ctx.enqueue(exportWorkspace, { brand_id })
    })
    const last = brands.at(-1)
    if (last === undefined || brands.length < brandsAtOnce) return
    after = last
  }
}

/** One agent after the other. Those whose memories and file are as they were left cost a look at the file. */
export async function exportAgents(
  ctx: OutsideBrandCtx,
  files: SharedFiles,
  signal: AbortSignal,
): Promise<void> {
  if (!files.is_on) return
  for (let after = ''; ; ) {
    const agents = await store.listAgents(ctx, { after, limit: agentsAtOnce })
    for (const { agent_id, is_due, file_mark } of agents) {
      if (signal.aborted) return
      const isChanged = is_due || (await files.markOf(ctx, placeOf(ctx.brandId, agent_id))) !== file_mark
      if (isChanged) await exportAgent(ctx, files, agent_id)
    }
    const last = agents.at(-1)
    if (!last || agents.length < agentsAtOnce) return
    after = last.agent_id
  }
}

interface Wanted extends Layout {
  readonly due_at: Date | undefined
}

/**
 * CONV-15: brings the file of one agent up to date. What somebody has written into the section becomes proposals before it
 * is replaced. Retired agents are no exception, because what is deleted has to leave their files as well.
 */
async function exportAgent(ctx: OutsideBrandCtx, files: SharedFiles, agent_id: string): Promise<void> {
  await store.claimExport(ctx, agent_id)
  const { memory_ids: written } = await store.getExport(ctx, agent_id)
  const nonce = randomBytes(8).toString('hex')
  let wanted: Wanted = { lines: [], memory_ids: [], due_at: undefined }
  let bytes = 0
  const fileEditsOf = ({ inside }: FoundSection) =>
    fileEdits(ctx, agent_id, linesInside(inside), [...written, ...wanted.memory_ids])
  /** Reads the memories each time: a worker that was frozen must not bring back what is gone. */
  async function next(file: Buffer | undefined): Promise<Next> {
    const section = findSection(file ?? Buffer.alloc(0))
    if (section.kind === 'refused') return { reason: section.reason }
    wanted = await readWanted(ctx, agent_id)
    const reason = section.kind === 'found' && (await fileEditsOf(section))
    if (reason) return { reason }
    bytes = withSection(undefined, { kind: 'absent' }, wanted.lines, nonce).byteLength
    return { bytes: withSection(file, section, wanted.lines, nonce) }
  }
  const outcome = await files.rewrite(ctx, placeOf(ctx.brandId, agent_id), {
    next,
    merge: mergeFiles,
    async replaced(file) {
      const section = findSection(file)
      if (section.kind === 'found') await fileEditsOf(section)
    },
    step: (step) => ctx.faultPoint(`memory.${step}`),
  })
  if (outcome.state === 'untouched') {
    ctx.log.warn({ agent_id, reason: outcome.reason }, 'MEMORY.md was left untouched')
    return void (await store.updateUntouched(ctx, agent_id, outcome.reason as MemoryFileReason))
  }
  await store.updateWritten(ctx, {
    agent_id,
    memory_ids: wanted.memory_ids,
    lines: wanted.lines.length + 2,
    bytes,
    file_mark: outcome.mark,
    due_at: wanted.due_at?.toISOString() ?? 'infinity',
    is_written: outcome.state === 'written',
  })
}

/** What belongs into the file of an agent now. */
export async function readWanted(ctx: BrandCtx, agent_id: string): Promise<Wanted> {
  const best = await store.listBest(ctx, { agent_id, kinds: memoryKinds, limit: mostLines, low: mostLow })
  const ordered = inOrder(best, ctx.now())
  return { ...layOut(ordered), due_at: nextChangeOfOrder(ordered) }
}

export async function getFile(ctx: BrandCtx, files: SharedFiles, id: string): Promise<MemoryFile> {
  const { agent_id } = await findAgent(ctx, id)
  const { folders, name } = placeOf(ctx.brandId, agent_id)
  return presentFile(await store.getExport(ctx, agent_id), {
    agent_id,
    path: [...folders, name].join('/'),
    is_on: files.is_on,
  })
}
