import { Archive, ArrowRight, Flame, type LucideIcon, Tag, UserRound, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { KeyCap } from '../../ui/key-cap.tsx'
import { cardsOf } from '../../work/figures.ts'
import type { BatchKind } from './batch-dialog.tsx'

interface SelectionBarProps {
  readonly count: number
  readonly canWrite: boolean
  readonly onDo: (kind: BatchKind) => void
  readonly onClear: () => void
}

const deeds: readonly (readonly [BatchKind, string, LucideIcon, string?])[] = [
  ['move', 'Move', ArrowRight, 'M'],
  ['assign', 'Assign', UserRound, 'A'],
  ['tags', 'Labels', Tag, 'T'],
  ['priority', 'Priority', Flame],
  ['archive', 'Archive', Archive],
]

/** What can be done to all cards that are chosen. */
export function SelectionBar({ count, canWrite, onDo, onClear }: SelectionBarProps) {
  if (count === 0) return null
  return (
    <div
      role="toolbar"
      aria-label="Selected cards"
      className="fixed bottom-[calc(16px+var(--ch-bar,0px))] left-1/2 z-20 w-max md:left-[calc(50%+var(--ch-sidebar)/2)] flex max-w-[calc(100%-24px)] md:max-w-[calc(100%-var(--ch-sidebar)-24px)] -translate-x-1/2 items-center gap-1.5 overflow-x-auto rounded-dialog border border-line bg-raised p-1.5 pl-3.5 shadow-menu max-md:bottom-18"
    >
      <span className="shrink-0 border-line border-r pr-3 font-medium">{cardsOf(count)} selected</span>
      {deeds.map(([kind, word, Icon, key]) => (
        <Button
          key={kind}
          size="s"
          look="quiet"
          disabled={!canWrite}
          title={canWrite ? undefined : 'The server cannot be reached'}
          onClick={() => onDo(kind)}
        >
          <Icon size={13} strokeWidth={1.75} aria-hidden />
          {word}
          {key !== undefined && (
            <span className="hidden md:inline-flex">
              <KeyCap>{key}</KeyCap>
            </span>
          )}
        </Button>
      ))}
      <IconButton label="Clear the selection" onClick={onClear}>
        <X size={15} strokeWidth={1.75} aria-hidden />
      </IconButton>
    </div>
  )
}
