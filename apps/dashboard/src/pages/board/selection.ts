import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useKeys } from '../../shell/keys.ts'
import { type ShownColumn, spotOf, stepFrom } from '../../work/columns.ts'
import type { Pick } from './picking.ts'

interface Carrying {
  readonly lifted: { readonly card: { readonly id: string } } | undefined
  readonly carry: (right: number, down: number) => void
  readonly putBack: () => void
}

/** Which card the keys act on: chosen by them, or the one that is open. While a card is lifted, they carry it. */
export function useSelection(
  columns: readonly ShownColumn[],
  { lifted, carry, putBack }: Carrying,
  pick: Pick,
) {
  const { card: open } = useSearch({ strict: false })
  const [selectedId, setSelectedId] = useState<string>()
  const [focusTurn, setFocusTurn] = useState(0)
  const openId = columns.flatMap(({ cards }) => cards).find(({ ref }) => ref === open)?.id
  useEffect(() => {
    if (openId !== undefined) setSelectedId(openId)
  }, [openId])
  const select = (id: string) => {
    setSelectedId(id)
    setFocusTurn((turn) => turn + 1)
  }
  const step = (right: number, down: number) => () => {
    if (lifted) {
      carry(right, down)
      select(lifted.card.id)
      return
    }
    const next = stepFrom(columns, spotOf(columns, selectedId), [right, down])
    if (next) select(next.id)
  }
  const pickSelected = () => {
    const spot = spotOf(columns, selectedId)
    const card = spot && columns[spot.column]?.cards[spot.index]
    if (card) pick(card, 'one')
  }
  const extend = (down: number) => () => {
    const from = spotOf(columns, selectedId)
    const here = from && columns[from.column]?.cards[from.index]
    const next = stepFrom(columns, from, [0, down])
    if (lifted || !next) return
    // The one that it starts from is part of it.
    if (here) pick(here, 'add')
    pick(next, 'add')
    select(next.id)
  }
  useKeys({
    x: pickSelected,
    'shift+j': extend(1),
    'shift+k': extend(-1),
    'shift+ArrowDown': extend(1),
    'shift+ArrowUp': extend(-1),
    j: step(0, 1),
    k: step(0, -1),
    h: step(-1, 0),
    l: step(1, 0),
    ArrowDown: step(0, 1),
    ArrowUp: step(0, -1),
    ArrowLeft: step(-1, 0),
    ArrowRight: step(1, 0),
    ...(lifted ? { Escape: putBack } : {}),
  })
  return { selectedId, focusTurn, select }
}
