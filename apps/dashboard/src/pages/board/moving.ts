import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useMemo, useState } from 'react'
import { announce } from '../../ui/live-region.tsx'
import { type ShownColumn, type Spot, spotOf, withCardAt } from '../../work/columns.ts'
import { moveCard } from '../../work/move.ts'

interface Lifted {
  readonly card: StandardCard
  readonly from: Spot
  readonly spot: Spot
}

/** Moving by keyboard: Space lifts a card, the arrows carry it, Space drops it and Escape puts it back. */
export function useMoving(columns: readonly ShownColumn[]) {
  const [lifted, setLifted] = useState<Lifted>()
  const shown = useMemo(
    () => (lifted ? withCardAt(columns, lifted.card, lifted.spot) : columns),
    [columns, lifted],
  )
  const lift = (card: StandardCard) => {
    const spot = spotOf(columns, card.id)
    if (!spot) return
    setLifted({ card, from: spot, spot })
    announce(
      `${card.ref} lifted. ${placeText(columns, spot)}. Arrows move it, Space drops it, Escape puts it back.`,
    )
  }
  const carry = (right: number, down: number) => {
    if (!lifted) return
    const column = clamp(lifted.spot.column + right, columns.length - 1)
    const others = columns[column]?.cards.filter(({ id }) => id !== lifted.card.id).length ?? 0
    const spot = { column, index: clamp(lifted.spot.index + down, others) }
    setLifted({ ...lifted, spot })
    announce(`${lifted.card.ref}: ${placeText(withCardAt(columns, lifted.card, spot), spot)}`)
  }
  const putBack = () => {
    if (lifted) announce(`${lifted.card.ref} put back in ${lifted.card.column.name}`)
    setLifted(undefined)
  }
  const drop = () => {
    if (!lifted) return
    const { card, from, spot } = lifted
    const into = shown[spot.column]
    if (!into || (from.column === spot.column && from.index === spot.index)) {
      putBack()
      return
    }
    setLifted(undefined)
    void moveCard(card, {
      column: into.column,
      above: into.cards[spot.index - 1],
      below: into.cards[spot.index + 1],
    })
  }
  return { shown, lifted, lift, carry, drop, putBack }
}

const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value))

function placeText(columns: readonly ShownColumn[], { column, index }: Spot): string {
  const into = columns[column]
  return into ? `${into.column.name}, ${index + 1} of ${into.cards.length}` : ''
}
