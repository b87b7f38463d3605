import type { Board } from '@crewhall/contracts/boards/boards.ts'
import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { ArrowRight, CircleDot, SlidersHorizontal, Tag, UserRound } from 'lucide-react'
import { useMemo } from 'react'
import { useOfferCard } from '../../shell/card-commands.ts'
import type { BatchKind } from './batch-dialog.tsx'

/** Puts what the keys of the board do to the selected card into the command menu. */
export function useBoardOffer(
  { columns }: Board,
  selected: StandardCard | undefined,
  onDo: (kind: BatchKind) => void,
): void {
  const ref = selected?.ref
  useOfferCard(
    useMemo(() => {
      if (ref === undefined) return undefined
      const names = columns.map(({ name }) => name).join(', ')
      return {
        ref,
        commands: [
          { label: 'Move to…', note: names, icon: ArrowRight, key: 'M', run: () => onDo('move') },
          { label: 'Assign', icon: UserRound, key: 'A', run: () => onDo('assign') },
          { label: 'Change profile', icon: SlidersHorizontal, key: 'P', run: () => onDo('profile') },
          { label: 'Labels', icon: Tag, key: 'T', run: () => onDo('tags') },
          { label: 'Change status', icon: CircleDot, key: 'S', run: () => onDo('status') },
        ],
      }
    }, [ref, columns, onDo]),
  )
}
