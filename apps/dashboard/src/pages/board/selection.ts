import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useKeys } from '../../shell/keys.ts'
import { type ShownColumn, spotOf, stepFrom } from '../../work/columns.ts'

interface Carrying {
  readonly lifted: { readonly card: { readonly id: string } } | undefined
  readonly carry: (right: number, down: number) => void
  readonly putBack: () => void
}

/** Which card the keys act on: chosen by them, or the one that is open. While a card is lifted, they carry it. */
export function useSelection(columns: readonly ShownColumn[], { lifted, carry, putBack }: Carrying) {
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
  useKeys({
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
