import { ApiError } from '@crewhall/client/client.ts'
import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { newAction } from '../api/own-fetch.ts'
import { problemOf } from '../api/problem.ts'
import { queries } from '../app/queries.ts'
import { announce } from '../ui/live-region.tsx'
import { say, sayFailed } from '../ui/toast.tsx'
import { cardsApi, changeKnown, readAgain } from './board-cards.ts'

/** Where a card goes: a column, and the card it goes above or below. Without a neighbour, to the end. */
export interface Target {
  readonly column: { readonly id: string; readonly name: string; readonly status: StandardCard['status'] }
  readonly above?: StandardCard | undefined
  readonly below?: StandardCard | undefined
}

/** A rank between two others until the server has given the real one. */
function rankBetween({ above, below }: Target): string {
  if (above) return `${above.rank}!`
  // Nothing sorts before an empty rank, and nothing after this one.
  return below ? '' : '\u{10ffff}'
}

/** Moves a card at once; if the server refuses, it goes back and the toast says why. */
export async function moveCard(card: StandardCard, target: Target): Promise<void> {
  const moved = {
    ...card,
    column: { id: target.column.id, name: target.column.name },
    status: target.column.status,
    rank: rankBetween(target),
  }
  changeKnown(card.board_id, (cards) => cards.set(card.id, moved))
  announce(`${card.ref} moved to ${target.column.name}`)
  try {
    await send(card, target)
  } catch (error) {
    changeKnown(card.board_id, (cards) => {
      if (cards.has(card.id)) cards.set(card.id, card)
    })
    await refused(card, target, error)
  } finally {
    await readAgain(card.board_id, card.id).catch(() => {})
    void queries.invalidateQueries({ queryKey: ['board', card.board_id] })
    void queries.invalidateQueries({ queryKey: ['card', card.ref] })
  }
}

async function send(card: StandardCard, target: Target): Promise<void> {
  const { column, above, below } = target
  const place = above ? { after_id: above.id } : below ? { before_id: below.id } : {}
  const body = { column: column.id, ...place }
  const move = (version: number) =>
    cardsApi
      .acting(newAction({ if_match: `"${version}"` }))
      .boards.moveCard({ params: { task_id: card.id }, body })
  try {
    await move(card.version)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error
    // Somebody changed something else of it: the move is still what was meant.
    const { body: now } = await cardsApi.reading().boards.getCard({ params: { task_id: card.id } })
    if (now.column.id !== card.column.id || now.rank !== card.rank) throw error
    await move(now.version)
  }
}

async function refused(card: StandardCard, target: Target, error: unknown): Promise<void> {
  const now = await readAgain(card.board_id, card.id).catch(() => undefined)
  const again = { label: 'Move again', onClick: () => void moveCard(now ?? card, target) }
  const { kind, text } = problemOf(error)
  announce(`${card.ref} was not moved. ${text}`)
  if (error instanceof ApiError && error.status === 412 && now) {
    say(`${card.ref} is in ${now.column.name}`, {
      note: `${now.updated_by.name} moved it first. Nothing is lost.`,
      offer: again,
    })
    return
  }
  sayFailed(`${card.ref} moved back to ${card.column.name}`, error, kind === 'refused' ? undefined : again)
}
