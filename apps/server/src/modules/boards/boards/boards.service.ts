import type { Board, BoardSummary } from '@crewhall/contracts/boards/boards.ts'
import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import {
  boardArchived,
  boardLimit,
  boardNotFound,
  noSuchProject,
} from '@crewhall/contracts/boards/refusals.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import { generateNKeysBetween } from 'fractional-indexing'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { KnownProjects } from '../boards.ports.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { presentBoard, presentBoardSummary } from './boards.present.ts'
import * as store from './boards.store.ts'
import * as columnStore from './columns.store.ts'

const maxBoards = 5000
/** What most teams begin with. */
const usualColumns: readonly NewColumn[] = [
  { name: 'To do', status: 'pending' },
  { name: 'In progress', status: 'in_progress' },
  { name: 'Review', status: 'review' },
  { name: 'Done', status: 'done' },
]

interface NewColumn {
  readonly name: string
  readonly status: CardStatus
  readonly wip_limit?: number | null | undefined
}
interface NewBoard {
  readonly name: string
  readonly key: string
  readonly board_type?: string | undefined
  readonly description?: string | undefined
  readonly project_id?: string | null | undefined
  readonly wip_limits?: store.BoardRow['wip_limits'] | undefined
  readonly columns?: readonly NewColumn[] | undefined
}

export const openBoard = (
  ctx: BrandCtx,
  projects: readonly KnownProjects[],
  order: NewBoard,
): Promise<Board> =>
  ctx.tx(async (ctx) => {
    await refuseUnknownProject(ctx, projects, order.project_id)
    await refuseTooMany(ctx)
    const board = await store.insertBoard(ctx, {
      key: order.key,
      name: order.name,
      board_type: order.board_type ?? 'kanban',
      description: order.description ?? '',
      project_id: order.project_id ?? null,
      wip_limits: order.wip_limits ?? 'shown',
    })
    if (!board) throw boardNotFound()
    const wanted = order.columns ?? usualColumns
    const ranks = generateNKeysBetween(null, null, wanted.length)
    for (const [at, { name, status, wip_limit = null }] of wanted.entries()) {
      const rank = ranks[at] ?? ''
      await columnStore.insertColumn(ctx, board.id, {
        name: name.trim(),
        name_key: foldName(name),
        status,
        rank,
        wip_limit,
      })
    }
    await record(ctx, board.id, 'board.created', { name: board.name, key: board.key })
    return presentBoard(board, await columnStore.listColumns(ctx, board.id))
  })

interface ListQuery extends Paging {
  readonly board_type?: string | undefined
  readonly archived?: 'true' | 'false' | undefined
}

export async function listBoardPage(ctx: BrandCtx, query: ListQuery) {
  const { page, per_page } = query
  const filter = { board_type: query.board_type ?? null, archived: query.archived === 'true' }
  const at = { limit: per_page, offset: (page - 1) * per_page }
  const [rows, total] = await Promise.all([
    store.listBoards(ctx, { ...filter, ...at }),
    store.countBoards(ctx, filter),
  ])
  return { items: rows.map((row): BoardSummary => presentBoardSummary(row)), total, page, per_page }
}

/** FEAT-11: what the feature of that name holds, archived or not: nothing of it is gone. */
export const countCrmBoards = (ctx: BrandCtx): Promise<number> => store.countBoardsOfType(ctx, 'crm')

export async function getBoard(ctx: BrandCtx, id: string): Promise<Board> {
  const [board, columns] = await Promise.all([store.findBoard(ctx, id), columnStore.listColumns(ctx, id)])
  if (!board) throw boardNotFound()
  return presentBoard(board, columns)
}

interface BoardChange {
  readonly name?: string | undefined
  readonly board_type?: string | undefined
  readonly description?: string | undefined
  readonly project_id?: string | null | undefined
  readonly wip_limits?: store.BoardRow['wip_limits'] | undefined
}

export const changeBoard = (
  ctx: BrandCtx,
  projects: readonly KnownProjects[],
  id: string,
  change: BoardChange,
): Promise<Board> =>
  ctx.tx(async (ctx) => {
    const before = await lockOpenBoard(ctx, id)
    await refuseUnknownProject(ctx, projects, change.project_id)
    const next = {
      name: change.name ?? before.name,
      board_type: change.board_type ?? before.board_type,
      description: change.description ?? before.description,
      project_id: change.project_id === undefined ? before.project_id : change.project_id,
      wip_limits: change.wip_limits ?? before.wip_limits,
    }
    const changed = (['name', 'board_type', 'description', 'project_id', 'wip_limits'] as const).filter(
      (f) => next[f] !== before[f],
    )
    if (changed.length > 0) {
      await store.updateBoard(ctx, id, next)
      await record(ctx, id, 'board.updated', { fields: changed })
    }
    return readBoard(ctx, id)
  })

export const archiveBoard = (ctx: BrandCtx, id: string, archived: boolean): Promise<Board> =>
  ctx.tx(async (ctx) => {
    if (!archived) await store.lockBoardCount(ctx)
    const before = await store.lockBoard(ctx, id)
    if (!before) throw boardNotFound()
    if ((before.archived_at !== null) !== archived) {
      if (!archived) await refuseTooMany(ctx)
      await store.updateArchived(ctx, id, archived)
      await record(ctx, id, archived ? 'board.archived' : 'board.restored', {})
    }
    return readBoard(ctx, id)
  })

/** Archived boards do not count. Checked before any board is locked, because concurrent creations count too. */
async function refuseTooMany(ctx: BrandTx): Promise<void> {
  await store.lockBoardCount(ctx)
  const count = await store.countBoards(ctx, { archived: false, board_type: null })
  if (count >= maxBoards) throw boardLimit()
}

/** One of another workspace and one that does not exist are refused alike. Projects are never deleted. */
async function refuseUnknownProject(
  ctx: BrandTx,
  projects: readonly KnownProjects[],
  project_id: string | null | undefined,
): Promise<void> {
  if (!project_id) return
  for (const known of projects) if (await known.isProject(ctx, project_id)) return
  throw noSuchProject()
}

/** Every write on a board begins here: it waits its turn, and an archived board takes none. */
export async function lockOpenBoard(ctx: BrandTx, id: string): Promise<store.LockedBoard> {
  return openBoardOf(await store.lockBoards(ctx, [id]), id)
}

/** One of the boards that were locked; only this one has to be open. */
export const openBoardOf = (locked: store.LockedBoards, id: string): store.LockedBoard =>
  notClosed(locked.get(id))

export function notClosed<B extends store.BoardRow>(board: B | undefined): B {
  if (!board) throw boardNotFound()
  if (board.archived_at !== null) throw boardArchived()
  return board
}

async function readBoard(ctx: BrandTx, id: string): Promise<Board> {
  const board = await store.findBoard(ctx, id)
  if (!board) throw boardNotFound()
  return presentBoard(board, await columnStore.listColumns(ctx, id))
}

const record = (ctx: BrandTx, board_id: string, action: string, data: Record<string, unknown>) =>
  recordActivity(ctx, { board_id, action, card_id: null, actor: boardActorOf(ctx.actor), data })
