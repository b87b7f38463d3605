import {
  type Import,
  type ImportCard,
  importByAgent,
  importLimit,
  importNoColumn,
  importNotFound,
  importNotMember,
  importStarted,
  mostOpenImports,
} from '@crewhall/contracts/boards/imports.ts'
import { runImport } from '@crewhall/contracts/boards/jobs.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import { listMembersAmong, listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { type ColumnRow, listColumns } from '../boards/columns.store.ts'
import { findColumnNamed } from '../card-data/cards.rules.ts'
import * as rowStore from './import-rows.store.ts'
import { recordStep } from './import-steps.service.ts'
import { presentImport, presentListed } from './imports.present.ts'
import * as store from './imports.store.ts'
import type { MappedPerson, MappedState } from './mapping.rules.ts'

const shownRows = 20

export async function listImportPage(ctx: BrandCtx, board_id: string, { page, per_page }: Paging) {
  if (!(await findBoard(ctx, board_id))) throw boardNotFound()
  const [rows, total] = await Promise.all([
    store.listImports(ctx, { board_id, limit: per_page, offset: (page - 1) * per_page }),
    store.countImports(ctx, board_id),
  ])
  return { items: rows.map(presentListed), total, page, per_page }
}

export async function getImport(ctx: BrandCtx, id: string): Promise<Import> {
  const row = await store.findImport(ctx, id)
  if (!row || row.state === 'reading') throw importNotFound()
  return showImport(ctx, row)
}

/** With the first rows as cards, as long as nothing was made of them. */
export async function showImport(ctx: BrandCtx, row: store.ImportRow): Promise<Import> {
  return presentImport(row, row.state === 'draft' ? await firstCards(ctx, row) : [])
}

async function firstCards(ctx: BrandCtx, row: store.ImportRow): Promise<ImportCard[]> {
  const rows = await rowStore.listFirstRows(ctx, row.id, shownRows)
  const refs = rows.map(({ client_ref }) => client_ref)
  const [columns, existing, people] = await Promise.all([
    listColumns(ctx, row.board_id),
    rowStore.findCardsNamed(ctx, row.board_id, refs),
    listPeople(
      ctx,
      row.people.flatMap(({ user_id }) => user_id ?? []),
    ),
  ])
  const usual = columns.find(({ status }) => status === 'pending') ?? columns[0]
  const nameOf = new Map(people.map(({ id, full_name }) => [id, full_name]))
  return rows.map(({ row: at, card, client_ref, person, state, parent }) => {
    const column_id = row.states.find(({ name }) => name === state)?.column_id
    const user_id = row.people.find(({ name }) => name === person)?.user_id
    return {
      row: at,
      title: card.title,
      column: (columns.find(({ id }) => id === column_id) ?? usual)?.name ?? '',
      assignee: (user_id && nameOf.get(user_id)) || null,
      labels: card.labels ?? [],
      priority: card.priority ?? 'none',
      estimate: card.estimate ?? null,
      due_at: card.due_at ?? null,
      parent,
      client_ref,
      exists: existing.has(client_ref),
    }
  })
}

interface Wanted {
  readonly people?: Readonly<Record<string, number | null>> | undefined
  readonly states?: Readonly<Record<string, string>> | undefined
  readonly for_agents?: boolean | undefined
}

export const startImport = (ctx: BrandCtx, id: string, wanted: Wanted): Promise<Import> =>
  ctx.tx(async (ctx) => {
    const row = await lockWithBoard(ctx, id)
    if (row.state !== 'draft') throw importStarted()
    const { actor } = ctx
    const for_agents = wanted.for_agents === true
    // As with the words of guests: an agent may only repeat what it has read.
    if (for_agents && actor.kind === 'person' && actor.agent !== null) throw importByAgent()
    const people = await peopleOf(ctx, row.people, wanted.people)
    const states = statesOf(await listColumns(ctx, row.board_id), row.states, wanted.states)
    const first_cards = await firstCards(ctx, { ...row, people, states })
    await store.lockImports(ctx)
    if ((await store.countOpen(ctx)) > mostOpenImports) throw importLimit()
    const next = { ...row, state: 'running' as const, actor: actorOf(ctx), people, states, for_agents }
    const running = await store.updateImport(ctx, next)
    if (!running) throw importNotFound()
    await recordStep(ctx, running)
    await ctx.enqueue(runImport, { brand_id: ctx.brandId, import_id: id })
    return presentImport(running, first_cards)
  })

/** Cards go in batches, by the same job that makes them. What was not started is gone at once. */
export const undoImport = (ctx: BrandCtx, id: string, force: boolean): Promise<Import> =>
  ctx.tx(async (ctx) => {
    const row = await lockWithBoard(ctx, id)
    if (row.state === 'undoing' || (row.state === 'undone' && !(force && row.kept_count > 0)))
      return presentImport(row, [])
    const isDraft = row.state === 'draft'
    await rowStore.deleteRowsTo(ctx, id, row.rows_total)
    const undoing = await store.updateImport(ctx, {
      ...row,
      state: isDraft ? 'undone' : 'undoing',
      actor: isDraft ? null : actorOf(ctx),
      is_forced: force,
      // Counts down to where it began.
      rows_done: isDraft ? 0 : row.rows_total,
      kept_count: 0,
      kept: [],
    })
    if (!undoing) throw importNotFound()
    if (!isDraft) {
      await recordStep(ctx, undoing)
      await ctx.enqueue(runImport, { brand_id: ctx.brandId, import_id: id })
    }
    return presentImport(undoing, [])
  })

/** The board first, as in every write. */
async function lockWithBoard(ctx: BrandTx, id: string): Promise<store.ImportRow> {
  const seen = await store.findImport(ctx, id)
  if (!seen || seen.state === 'reading') throw importNotFound()
  await lockOpenBoard(ctx, seen.board_id)
  const row = await store.lockImport(ctx, id)
  if (!row) throw importNotFound()
  return row
}

async function peopleOf(
  ctx: BrandCtx,
  found: readonly MappedPerson[],
  wanted: Wanted['people'] = {},
): Promise<MappedPerson[]> {
  const ids = [...new Set(Object.values(wanted).filter((id) => id !== null))]
  if ((await listMembersAmong(ctx, ids)).length < ids.length) throw importNotMember()
  return found.map((each) =>
    Object.hasOwn(wanted, each.name) ? { ...each, user_id: wanted[each.name] ?? null } : each,
  )
}

function statesOf(
  all: readonly ColumnRow[],
  found: readonly MappedState[],
  wanted: Wanted['states'] = {},
): MappedState[] {
  const columns = all.filter(({ moving_to }) => moving_to === null)
  const chosen = new Map(
    Object.entries(wanted).map(([name, column]) => {
      const named = findColumnNamed(columns, column)
      if (!named) throw importNoColumn()
      return [name, named.id]
    }),
  )
  return found.map((each) => ({ ...each, column_id: chosen.get(each.name) ?? each.column_id }))
}

function actorOf({ actor }: BrandTx): store.ImportActor | null {
  if (actor.kind !== 'person') return null
  const { person_id, name, credential_id, agent, agent_id } = actor
  return { person_id, name, credential_id, agent, agent_id }
}
