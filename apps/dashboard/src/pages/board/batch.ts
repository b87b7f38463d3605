import type { Operation, OperationResult } from '@crewhall/contracts/boards/batch.ts'
import * as batch from '@crewhall/contracts/boards/batch.ts'
import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardChange } from '@crewhall/contracts/boards/cards.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { apiOf } from '../../api/api.ts'
import { newAction } from '../../api/own-fetch.ts'
import { queries } from '../../app/queries.ts'
import { readAgain } from '../../work/board-cards.ts'

const api = apiOf({ boards: routesIn(batch) })

/** What is done to cards, each the same. */
export type Deed =
  | { readonly op: 'move'; readonly column: { readonly id: string; readonly name: string } }
  | { readonly op: 'archive' }
  | { readonly op: 'change'; readonly change: (card: StandardCard) => CardChange; readonly word: string }

/** A card and what came of it, or would. */
export interface Outcome {
  readonly card: StandardCard
  readonly result: OperationResult
}

const operationOf = (deed: Deed, { id: task_id, version: if_version, ...card }: StandardCard): Operation => {
  if (deed.op === 'move') return { op: 'move', task_id, if_version, column: deed.column.id }
  if (deed.op === 'archive') return { op: 'archive', task_id, if_version }
  const change = deed.change({ id: task_id, version: if_version, ...card })
  return { op: 'change', task_id, change: { ...change, if_version } }
}

/** Does it to all cards, or only finds out what would come of it. Refused ones do not stop the others. */
export async function runBatch(
  deed: Deed,
  cards: readonly StandardCard[],
  how: { readonly is_dry_run: boolean },
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (let at = 0; at < cards.length; at += batch.mostOperations) {
    const part = cards.slice(at, at + batch.mostOperations)
    const [first] = part
    if (!first) break
    const { body } = await api.acting(newAction(how)).boards.writeBatch({
      params: { board_id: first.board_id },
      body: { atomic: false, operations: part.map((card) => operationOf(deed, card)) },
    })
    for (const [index, result] of body.results.entries()) {
      const card = part[index]
      if (card) outcomes.push({ card, result })
    }
  }
  return outcomes
}

export const isRefused = ({ result }: Outcome): boolean => result.status >= 400

export function refusalText({ result: { status, detail } }: Outcome): string {
  if (status === 412) return 'Somebody else changed it first'
  if (typeof detail === 'string') return detail
  return typeof detail?.message === 'string' ? detail.message : `Refused with ${status}`
}

/** So many are read one by one; with more, the board is read as a whole. */
const mostSingle = 20

export async function readBatchAgain(cards: readonly StandardCard[]): Promise<void> {
  const [first] = cards
  if (!first) return
  void queries.invalidateQueries({ queryKey: ['board', first.board_id] })
  for (const { ref } of cards) void queries.invalidateQueries({ queryKey: ['card', ref] })
  if (cards.length > mostSingle)
    await queries.invalidateQueries({ queryKey: ['board-cards', first.board_id] })
  else await Promise.all(cards.map(({ board_id, id }) => readAgain(board_id, id).catch(() => {})))
}
