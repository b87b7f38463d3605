import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useKeys } from '../../shell/keys.ts'
import { type ShownColumn, spotOf, stepFrom } from '../../work/columns.ts'

/** Which card the keys act on: chosen by them, or the one that is open. */
export function useSelection(columns: readonly ShownColumn[]) {
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
  })
  return { selectedId, focusTurn, select }
}
