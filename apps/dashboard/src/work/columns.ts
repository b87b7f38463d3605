import type { Board, Column } from '@crewhall/contracts/boards/boards.ts'
import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'

/** A column with those of its cards that are shown, in their order. */
export interface ShownColumn {
  readonly column: Column
  readonly cards: readonly StandardCard[]
  /** With those that the filters hide. */
  readonly total: number
}

/** Ranks are compared as bytes. */
const byRank = (a: { readonly rank: string }, b: { readonly rank: string }): number =>
  a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0

export function shownColumns(
  board: Board,
  cards: Iterable<StandardCard>,
  isShown: (card: StandardCard) => boolean,
): readonly ShownColumn[] {
  const all = Map.groupBy(cards, ({ column }) => column.id)
  return board.columns.map((column) => {
    const inside = all.get(column.id) ?? []
    return { column, cards: inside.filter(isShown).sort(byRank), total: inside.length }
  })
}

/** Where a card stands: the column, and how many are above it. */
export interface Spot {
  readonly column: number
  readonly index: number
}

export function spotOf(columns: readonly ShownColumn[], task_id: string | undefined): Spot | undefined {
  for (const [column, { cards }] of columns.entries()) {
    const index = cards.findIndex(({ id }) => id === task_id)
    if (index >= 0) return { column, index }
  }
  return undefined
}

/** The card that is reached by a step; the nearest column that has one, and the nearest one in it. */
export function stepFrom(
  columns: readonly ShownColumn[],
  from: Spot | undefined,
  [right, down]: readonly [number, number],
): StandardCard | undefined {
  if (!from) return columns.find(({ cards }) => cards.length > 0)?.cards[0]
  if (down !== 0) return columns[from.column]?.cards[from.index + down]
  for (let at = from.column + right; at >= 0 && at < columns.length; at += right) {
    const cards = columns[at]?.cards ?? []
    if (cards.length > 0) return cards[Math.min(from.index, cards.length - 1)]
  }
  return undefined
}

/** The columns as if a card stood elsewhere. */
export const withCardAt = (
  columns: readonly ShownColumn[],
  card: StandardCard,
  spot: Spot,
): readonly ShownColumn[] =>
  columns.map((shown, at) => {
    const { column } = shown
    const cards = shown.cards.filter(({ id }) => id !== card.id)
    if (at === spot.column)
      cards.splice(spot.index, 0, {
        ...card,
        column: { id: column.id, name: column.name },
        status: column.status,
      })
    return cards.length === shown.cards.length && at !== spot.column
      ? shown
      : { ...shown, cards, total: cards.length }
  })
