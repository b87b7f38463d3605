import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useCallback, useMemo, useRef, useState } from 'react'
import { announce } from '../../ui/live-region.tsx'
import type { ShownColumn } from '../../work/columns.ts'
import { cardsOf } from '../../work/figures.ts'

/** Picks a card or takes it back, adds it, or adds all from the one that was picked last. */
export type Pick = (card: StandardCard, how: 'one' | 'add' | 'range') => void

/** Cards that are chosen to do something to all of them. What is no longer shown is not chosen. */
export function usePicking(columns: readonly ShownColumn[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const order = useMemo(() => columns.flatMap(({ cards }) => cards), [columns])
  const picked = useMemo(() => order.filter(({ id }) => ids.has(id)), [order, ids])
  const pickedIds = useMemo(() => new Set(picked.map(({ id }) => id)), [picked])
  const latest = useRef({ order, ids: pickedIds })
  latest.current = { order, ids: pickedIds }
  const pick = useCallback<Pick>((card, how) => {
    const { order, ids } = latest.current
    const next = new Set(ids)
    const [from, to] = [last.current, card.id].map((id) => order.findIndex((each) => each.id === id))
    if (how === 'range' && from !== undefined && to !== undefined && from >= 0 && to >= 0)
      for (const { id } of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(id)
    else if (how === 'one' && next.has(card.id)) next.delete(card.id)
    else next.add(card.id)
    last.current = card.id
    // Before the next key, which may come before the page is drawn again.
    latest.current = { order, ids: next }
    setIds(next)
    announce(`${cardsOf(next.size)} selected`)
  }, [])
  const pickAll = useCallback(() => {
    const all = latest.current.order.map(({ id }) => id)
    setIds(new Set(all))
    announce(`${cardsOf(all.length)} selected`)
  }, [])
  const clear = useCallback(() => {
    last.current = undefined
    setIds(new Set())
  }, [])
  return { picked, pickedIds, pick, pickAll, clear }
}
