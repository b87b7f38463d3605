import { type ImportProblem, mostProblemText } from '@crewhall/contracts/boards/imports.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { openBoardOf } from '../boards/boards.service.ts'
import { lockBoardsForAll } from '../boards/boards.store.ts'
import { listColumns } from '../boards/columns.store.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { addCardsInOrder } from '../cards/add-card.service.ts'
import { relate } from '../relations/relations.service.ts'
import * as rowStore from './import-rows.store.ts'
import { recordStep } from './import-steps.service.ts'
import * as store from './imports.store.ts'
import { orderOf } from './mapping.rules.ts'
import { undoBite } from './undo-import.service.ts'

/** Cards per transaction, which bounds how long other writers of the board wait. */
const biteSize = 100
/** Each relation takes several statements. */
const parentBite = 25
const mostProblems = 100

/** Goes on until nothing is left. A step and its place are one commit, so that another run continues after it. */
export async function continueImport(
  system: OutsideSystemCtx,
  { brand_id, import_id }: { readonly brand_id: number; readonly import_id: string },
  signal: AbortSignal,
): Promise<void> {
  const seen = await store.findImport(system.forBrand(brand_id), import_id)
  if (!seen) return
  const ctx = forActor(system, brand_id, seen.actor)
  while (!signal.aborted) if (await step(ctx, seen)) return
  // Not done: the queue gives it to the next run.
  signal.throwIfAborted()
}

/** Returns whether nothing is left to do. */
async function step(ctx: BrandCtx, seen: store.ImportRow): Promise<boolean> {
  const { id, board_id, state } = seen
  if (state === 'undoing') return undoBite(ctx, seen)
  try {
    return await ctx.tx(async (ctx) => {
      openBoardOf(await lockBoardsForAll(ctx, [board_id]), board_id)
      const row = await store.lockImport(ctx, id)
      if (row?.state !== 'running') return true
      const next = (await makeCards(ctx, row)) ?? (await relateParents(ctx, row))
      const isDone = next === undefined
      await update(ctx, next ?? { ...row, state: 'done', actor: null })
      await ctx.faultPoint('boards.import')
      return isDone
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The board was archived: nobody waits for it.
    await ctx.tx((ctx) => fail(ctx, id, textOf(error)))
    return true
  }
}

/** The next rows become cards; undefined if there are none. */
async function makeCards(ctx: BrandTx, row: store.ImportRow): Promise<store.ImportRow | undefined> {
  const rows = await rowStore.listFirstRows(ctx, row.id, biteSize)
  const last = rows.at(-1)
  if (!last) return undefined
  const existing = await rowStore.findCardsNamed(
    ctx,
    row.board_id,
    rows.map(({ client_ref }) => client_ref),
  )
  const fresh = rows.filter(({ client_ref }) => !existing.has(client_ref))
  const { made, problems } = await addTogether(ctx, row, await withColumns(ctx, row), fresh)
  if (made.length > 0) await rowStore.insertMade(ctx, row.id, made)
  await rowStore.deleteRowsTo(ctx, row.id, last.place)
  return {
    ...row,
    rows_done: last.place,
    cards_made: row.cards_made + made.length,
    rows_skipped: row.rows_skipped + rows.length - fresh.length,
    problem_count: row.problem_count + problems.length,
    problems: [...row.problems, ...problems].slice(0, mostProblems),
  }
}

/** A column that was removed since means the usual one. */
async function withColumns(ctx: BrandTx, row: store.ImportRow) {
  const columns = new Set((await listColumns(ctx, row.board_id)).map(({ id }) => id))
  return row.states.map((each) =>
    each.column_id !== null && columns.has(each.column_id) ? each : { ...each, column_id: null },
  )
}

interface Added {
  readonly made: rowStore.NewMade[]
  readonly problems: ImportProblem[]
}

/** All at once if none of them is refused, otherwise one by one. */
async function addTogether(
  ctx: BrandTx,
  { board_id, people, for_agents }: store.ImportRow,
  states: store.ImportRow['states'],
  rows: readonly rowStore.PlacedCard[],
): Promise<Added> {
  if (rows.length === 0) return { made: [], problems: [] }
  const source = for_agents ? 'member' : 'import'
  const add = (some: readonly rowStore.PlacedCard[]) =>
    ctx.attempt(async (ctx) => {
      const orders = some.map((each) => orderOf(each, people, states))
      const cards = await addCardsInOrder(ctx, board_id, orders, source)
      return cards.map(({ task_id: card_id }, at) => {
        const { place, row: file_row, parent: parent_ref } = some[at] as rowStore.PlacedCard
        return { card_id, place, file_row, parent_ref }
      })
    })
  try {
    return { made: await add(rows), problems: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (rows.length === 1)
      return { made: [], problems: rows.map(({ row }) => ({ row, problem: textOf(error) })) }
  }
  const all: Added = { made: [], problems: [] }
  for (const each of rows) {
    const one = await addTogether(ctx, { board_id, people, for_agents } as store.ImportRow, states, [each])
    all.made.push(...one.made)
    all.problems.push(...one.problems)
  }
  return all
}

/** Parents are related when all cards are there, because a child may come first. Undefined if none is left. */
async function relateParents(ctx: BrandTx, row: store.ImportRow): Promise<store.ImportRow | undefined> {
  const children = await rowStore.listChildren(ctx, row.id, parentBite)
  if (children.length === 0) return undefined
  const refs = children.map(({ parent_ref }) => parent_ref)
  const parents = await rowStore.findCardsNamed(ctx, row.board_id, refs)
  const problems: ImportProblem[] = []
  for (const { file_row: row, card_id, parent_ref } of children) {
    const problem = await relateOne(ctx, parents.get(parent_ref), card_id)
    if (problem !== undefined) problems.push({ row, problem })
  }
  await rowStore.updateRelated(
    ctx,
    row.id,
    children.map(({ place }) => place),
  )
  return {
    ...row,
    problem_count: row.problem_count + problems.length,
    problems: [...row.problems, ...problems].slice(0, mostProblems),
  }
}

async function relateOne(ctx: BrandTx, parent: string | undefined, child: string) {
  if (parent === undefined || (await findBoardOfCard(ctx, parent)) === undefined)
    return 'its parent is not on the board'
  try {
    await ctx.attempt((ctx) => relate(ctx, { task_id: parent, kind: 'parent', other_id: child }))
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return textOf(error)
  }
}

async function update(ctx: BrandTx, next: store.ImportRow): Promise<void> {
  const updated = await store.updateImport(ctx, next)
  if (updated) await recordStep(ctx, updated)
}

async function fail(ctx: BrandTx, id: string, problem: string): Promise<void> {
  const row = await store.lockImport(ctx, id)
  if (row?.state !== 'running') return
  const problems = [{ row: 0, problem }, ...row.problems].slice(0, mostProblems)
  const problem_count = row.problem_count + 1
  await store.updateImport(ctx, { ...row, state: 'failed', actor: null, problems, problem_count })
}

const textOf = ({ message }: Refusal): string => message.slice(0, mostProblemText)

/** As the person who started it, who may have left since. */
function forActor(system: OutsideSystemCtx, brand_id: number, actor: store.ImportActor | null) {
  if (!actor) return system.forBrand(brand_id)
  return system.forBrand(brand_id, {
    actor: {
      kind: 'person',
      ...actor,
      brand_id,
      role: 'member',
      is_staff: false,
      is_verified: true,
      credential: 'token',
      expires_at: '',
      scopes: [],
    },
  })
}
