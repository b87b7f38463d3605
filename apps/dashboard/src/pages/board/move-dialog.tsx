import type { Board } from '@crewhall/contracts/boards/boards.ts'
import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CardStatusIcon } from '../../ui/status.tsx'
import { moveCard } from '../../work/move.ts'

interface MoveDialogProps {
  readonly board: Board
  /** Undefined while nothing is moved. */
  readonly card: StandardCard | undefined
  readonly onClose: () => void
  readonly onClosed: () => void
}

/** Where a card goes, by name: the way for those who neither drag nor carry. */
export function MoveDialog({ board, card, onClose, onClosed }: MoveDialogProps) {
  return (
    <Dialog
      open={card !== undefined}
      onOpenChange={(open) => !open && onClose()}
      onClosed={onClosed}
      title={`Move ${card?.ref ?? ''} to`}
    >
      <ul className="flex flex-col gap-0.5">
        {board.columns.map((column) => (
          <li key={column.id}>
            <button
              type="button"
              disabled={column.id === card?.column.id}
              onClick={() => {
                onClose()
                if (card) void moveCard(card, { column })
              }}
              className="flex h-[var(--ch-row)] w-full items-center gap-2.5 rounded-control px-2 hover:bg-hover disabled:text-ink-off"
            >
              <CardStatusIcon status={column.status} label={false} />
              <span className="font-medium">{column.name}</span>
              <span className="ml-auto text-ink-2 text-meta">
                {column.id === card?.column.id ? 'it is here' : column.card_count}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
