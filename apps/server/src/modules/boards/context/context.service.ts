import { mostItems } from '@crewhall/contracts/boards/checklists.ts'
import { type CardContext, lessonsForbidden, mostContextLessons } from '@crewhall/contracts/boards/context.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { CardLesson, CardLessons, CardMemory, FoundLessons } from '../boards.ports.ts'
import { isOutside } from '../card-data/cards.rules.ts'
import { headOf, itemTextBytes, partsOf, type Sources } from './context.present.ts'
import * as store from './context.store.ts'
import { pack } from './packing.rules.ts'

const standardBudget = 16_384
const maxBlockers = 50
// No character is shorter than a byte, so this many characters hold all the bytes that are shown.
const newestRuns = { limit: 10, characters: itemTextBytes }
const newestComments = { limit: 30, characters: itemTextBytes }

interface ContextQuery {
  readonly budget_bytes?: number | undefined
  readonly include?: 'lessons' | undefined
}

/** Read at one moment: counts and lists agree. Lessons come afterwards, from elsewhere. */
export async function packContext(
  ctx: OutsideBrandCtx,
  providers: readonly CardLessons[],
  id: string,
  { budget_bytes = standardBudget, include }: ContextQuery,
): Promise<CardContext> {
  if (include && !mayRead(ctx, lessonScopes)) throw lessonsForbidden()
  const sources = await ctx.snapshot((ctx) => readSources(ctx, id))
  const found = include ? await lessonsOf(ctx, providers, sources.card, mostContextLessons) : undefined
  const head = { ...headOf(sources.card), ...(found?.degraded ? { lessons_degraded: found.degraded } : {}) }
  const parts = partsOf(found ? { ...sources, lessons: found.lessons } : sources)
  return pack(head, parts, budget_bytes) as CardContext
}

/** The same in the transaction of a claim, with what it was made of. */
export async function packGivenContext(
  ctx: BrandTx,
  id: string,
  budget_bytes: number,
  around: { readonly lessons: readonly CardLesson[]; readonly memories: readonly CardMemory[] },
): Promise<{ context: CardContext; sources: Sources }> {
  const sources = { ...(await readSources(ctx, id)), ...around }
  return { context: pack(headOf(sources.card), partsOf(sources), budget_bytes) as CardContext, sources }
}

async function readSources(ctx: BrandCtx, id: string): Promise<Sources> {
  const card = await store.findContextCard(ctx, id)
  if (!card) throw cardNotFound()
  return {
    card,
    blockers: card.open_blockers > 0 ? await store.listOpenBlockers(ctx, id, maxBlockers) : [],
    checklist: card.items_total > 0 ? await store.listChecklist(ctx, id, mostItems) : [],
    parent: card.parent_id === null ? undefined : await store.findOtherCard(ctx, card.parent_id),
    runs: card.runs_count > 0 ? await store.listNewestRuns(ctx, id, newestRuns) : [],
    comments: card.comments_count > 0 ? await store.listNewestComments(ctx, id, newestComments) : [],
  }
}

export const lessonScopes = ['memory:read', 'code:read'] as const
export const memoryScopes = ['memory:read'] as const

/** A session has no scopes: every member may read. */
export const mayRead = ({ actor }: BrandCtx, scopes: readonly string[]): boolean =>
  actor.kind !== 'person' || actor.scopes === null || scopes.every((scope) => actor.scopes?.includes(scope))

export async function lessonsOf(
  ctx: OutsideBrandCtx,
  providers: readonly CardLessons[],
  card: store.ContextRow,
  limit: number,
): Promise<FoundLessons> {
  const { project_id } = card
  if (project_id === null) return { lessons: [], degraded: null }
  const asked = { project_id, texts: namingTexts(card), limit }
  const found = await Promise.all(providers.map((each) => each.lessonsNear(ctx, asked)))
  return {
    lessons: found.flatMap(({ lessons }) => lessons).slice(0, limit),
    degraded: found.find(({ degraded }) => degraded !== null)?.degraded ?? null,
  }
}

/** Where a card names code. What others outside have written is left out: it must not choose what an agent is told. */
const namingTexts = (card: store.ContextRow): string[] => [
  ...(isOutside(card.source) ? [] : [card.title, card.description]),
  card.instructions,
  card.acceptance_criteria,
  card.plan,
  // Where an import puts what is too long for a description.
  ...(card.source === 'import' ? [] : [card.notes]),
  ...textsIn(card.agent_context),
]

/** Also of lists and objects inside, such as a list of files. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
