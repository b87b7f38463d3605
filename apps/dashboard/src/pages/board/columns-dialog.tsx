import type { Board, Column } from '@crewhall/contracts/boards/boards.ts'
import { cardStatuses } from '@crewhall/contracts/boards/card-fields.ts'
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { CardStatusIcon, cardStatusWord } from '../../ui/status.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { cardsOf } from '../../work/figures.ts'
import type { BoardDialogProps } from './board-menu.tsx'
import { boardPartsApi, readBoardAgain, useBoardAction } from './board-writes.ts'

type Open = { readonly kind: 'edit' | 'remove'; readonly column: Column } | { readonly kind: 'add' }

/** Columns in their order: added, renamed, limited, moved and removed. */
export function ColumnsDialog({ board, onClose }: BoardDialogProps) {
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<Open>()
  const shut = () => setOpen(undefined)
  const move = useBoardAction(board.id, {
    what: 'The column was not moved',
    run: ({ id, before_id }: { readonly id: string; readonly before_id: string | null }) =>
      boardPartsApi
        .acting(newAction())
        .boards.changeColumn({ params: { column_id: id }, body: { before_id } }),
  })
  const { columns } = board
  const step = (at: number, by: -1 | 1) => {
    const column = columns[at]
    const before = by < 0 ? columns[at - 1] : columns[at + 2]
    if (column) move.mutate({ id: column.id, before_id: before?.id ?? null })
  }
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Columns of ${board.name}`}
      description={
        board.wip_limits === 'enforced'
          ? 'A card that would exceed a limit is refused.'
          : 'A limit that is exceeded is shown, and refuses nothing.'
      }
      width="m"
    >
      <ul className="mb-3 divide-y divide-line border-line border-y">
        {columns.map((column, at) => (
          <li key={column.id} className="py-1">
            <div className="flex min-h-9 items-center gap-2.5">
              <CardStatusIcon status={column.status} label={false} />
              <span className="flex min-w-0 grow flex-col gap-x-2.5 md:flex-row md:items-baseline">
                <span className="min-w-0 grow break-words font-medium">{column.name}</span>
                <span className="shrink-0 text-ink-2 text-meta">
                  {cardsOf(column.card_count)}
                  {column.wip_limit !== null && `, limit ${column.wip_limit}`}
                </span>
              </span>
              <IconButton
                label={`Move ${column.name} to the left`}
                className="size-7!"
                disabled={!canWrite || at === 0 || move.isPending}
                onClick={() => step(at, -1)}
              >
                <ArrowUp size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${column.name} to the right`}
                className="size-7!"
                disabled={!canWrite || at === columns.length - 1 || move.isPending}
                onClick={() => step(at, 1)}
              >
                <ArrowDown size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Edit ${column.name}`}
                className="size-7!"
                disabled={!canWrite}
                onClick={() => setOpen({ kind: 'edit', column })}
              >
                <Pencil size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove ${column.name}`}
                className="size-7!"
                disabled={!canWrite}
                onClick={() => setOpen({ kind: 'remove', column })}
              >
                <Trash2 size={14} aria-hidden />
              </IconButton>
            </div>
            {open?.kind === 'edit' && open.column.id === column.id && (
              <ColumnForm board={board} column={column} onDone={shut} />
            )}
            {open?.kind === 'remove' && open.column.id === column.id && (
              <RemoveForm board={board} column={column} onDone={shut} />
            )}
          </li>
        ))}
      </ul>
      {open?.kind === 'add' ? (
        <ColumnForm board={board} onDone={shut} />
      ) : (
        <Button disabled={!canWrite} onClick={() => setOpen({ kind: 'add' })}>
          <Plus size={14} aria-hidden />
          Add a column
        </Button>
      )}
    </Dialog>
  )
}

interface FormProps {
  readonly board: Board
  readonly onDone: () => void
}

function ColumnForm({ board, column, onDone }: FormProps & { readonly column?: Column }) {
  const form = useForm(async ({ name = '', status: chosen, limit = '' }) => {
    const status = cardStatuses.find((each) => each === chosen) ?? 'pending'
    const body = { name, status, wip_limit: limit.trim() === '' ? null : Number(limit) }
    const { boards } = boardPartsApi.acting(newAction())
    if (column) await boards.changeColumn({ params: { column_id: column.id }, body })
    else await boards.addColumn({ params: { board_id: board.id }, body })
    await readBoardAgain(board.id)
  }, onDone)
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-3 py-3" noValidate>
      <div className="grid grid-cols-1 gap-3 md:grid-cols-3">
        <Field
          label="Name"
          name="name"
          autoFocus
          autoComplete="off"
          defaultValue={column?.name ?? ''}
          error={errorOf(form.problem, 'name')}
        />
        <Select
          label="Its cards are"
          name="status"
          defaultValue={column?.status ?? 'in_progress'}
          options={cardStatuses.map((value) => ({ value, word: cardStatusWord(value) }))}
        />
        <Field
          label="Limit of cards"
          name="limit"
          inputMode="numeric"
          autoComplete="off"
          placeholder="None"
          defaultValue={column?.wip_limit ?? ''}
          error={errorOf(form.problem, 'wip_limit')}
        />
      </div>
      <FormError problem={form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy}>
          {column ? 'Save column' : 'Add column'}
        </Button>
      </div>
    </form>
  )
}

function RemoveForm({ board, column, onDone }: FormProps & { readonly column: Column }) {
  const others = board.columns.filter(({ id }) => id !== column.id)
  const form = useForm(async ({ move_to }) => {
    await boardPartsApi.acting(newAction()).boards.removeColumn({
      params: { column_id: column.id },
      query: column.card_count > 0 && move_to ? { move_to } : {},
    })
    await readBoardAgain(board.id)
  }, onDone)
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-3 py-3">
      {column.card_count > 0 ? (
        <Select
          label={`Move ${cardsOf(column.card_count)} to`}
          name="move_to"
          options={others.map(({ id, name }) => ({ value: id, word: name }))}
        />
      ) : (
        <p className="text-ink-2">It has no cards.</p>
      )}
      <FormError problem={form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="danger" busy={form.isBusy}>
          Remove {column.name}
        </Button>
      </div>
    </form>
  )
}
