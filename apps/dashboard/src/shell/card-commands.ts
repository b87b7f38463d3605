import type { LucideIcon } from 'lucide-react'
import { useEffect } from 'react'

interface CardCommand {
  readonly label: string
  readonly note?: string
  readonly icon: LucideIcon
  readonly key?: string
  readonly run: () => void
}

interface OfferedCard {
  readonly ref: string
  readonly commands: readonly CardCommand[]
}

let offered: OfferedCard | undefined

/** The card that the keys of the page act on, and what can be done to it: the command menu begins with it. */
export function useOfferCard(card: OfferedCard | undefined): void {
  useEffect(() => {
    offered = card
    return () => {
      offered = undefined
    }
  }, [card])
}

export const offeredCard = (): OfferedCard | undefined => offered
