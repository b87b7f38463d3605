import type { Label } from '@crewhall/contracts/boards/labels.ts'
import { useQuery } from '@tanstack/react-query'
import { Merge, Pencil, Plus, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { cardsOf } from '../../work/figures.ts'
import { LabelDot, labelsApi, labelsQuery } from '../../work/labels.tsx'
import type { BoardDialogProps } from './board-menu.tsx'
import { readBoardAgain, useBoardAction } from './board-writes.ts'

type Open = { readonly kind: 'edit' | 'merge' | 'remove'; readonly label: Label } | { readonly kind: 'add' }

/** The labels of a board: created, coloured, renamed, merged and removed. */
export function LabelsDialog({ board, onClose }: BoardDialogProps) {
  const canWrite = useCanWrite()
  const { data, error, refetch } = useQuery(labelsQuery(board.id))
  const [open, setOpen] = useState<Open>()
  const shut = () => setOpen(undefined)
  const remove = useBoardAction(board.id, {
    what: 'The label was not removed',
    run: (label_id: string) => labelsApi.acting(newAction()).boards.removeLabel({ params: { label_id } }),
  })
  const removed = open?.kind === 'remove' ? open.label : undefined
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Labels of ${board.name}`} width="m">
      {error && !data ? (
        <ErrorState error={error} what="The labels" onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : (
        <ul className="mb-3 divide-y divide-line border-line border-y">
          {data.items.length === 0 && <li className="py-3 text-ink-2">No labels yet.</li>}
          {data.items.map((label) => (
            <li key={label.id} className="py-1">
              <div className="flex min-h-9 items-center gap-2.5">
                <LabelDot color={label.color} />
                <span className="min-w-0 grow truncate font-medium" dir="auto" title={label.name}>
                  {label.name}
                </span>
                <span className="shrink-0 text-ink-2 text-meta">
                  {label.cards_changing > 0
                    ? `${cardsOf(label.cards_changing)} being changed`
                    : cardsOf(label.card_count)}
                </span>
                <IconButton
                  label={`Edit ${label.name}`}
                  className="size-7!"
                  disabled={!canWrite}
                  onClick={() => setOpen({ kind: 'edit', label })}
                >
                  <Pencil size={14} aria-hidden />
                </IconButton>
                <IconButton
                  label={`Merge ${label.name} into another`}
                  className="size-7!"
                  disabled={!canWrite || data.items.length < 2}
                  onClick={() => setOpen({ kind: 'merge', label })}
                >
                  <Merge size={14} aria-hidden />
                </IconButton>
                <IconButton
                  label={`Remove ${label.name}`}
                  className="size-7!"
                  disabled={!canWrite}
                  onClick={() => setOpen({ kind: 'remove', label })}
                >
                  <Trash2 size={14} aria-hidden />
                </IconButton>
              </div>
              {open?.kind === 'edit' && open.label.id === label.id && (
                <LabelForm board_id={board.id} label={label} onDone={shut} />
              )}
              {open?.kind === 'merge' && open.label.id === label.id && (
                <MergeForm
                  board_id={board.id}
                  label={label}
                  others={data.items.filter(({ id }) => id !== label.id)}
                  onDone={shut}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {open?.kind === 'add' ? (
        <LabelForm board_id={board.id} onDone={shut} />
      ) : (
        <Button disabled={!canWrite} onClick={() => setOpen({ kind: 'add' })}>
          <Plus size={14} aria-hidden />
          Create a label
        </Button>
      )}
      <Confirm
        open={removed !== undefined}
        onOpenChange={(isOpen) => !isOpen && shut()}
        title={`Remove the label ${removed?.name ?? ''}?`}
        consequences={[`${cardsOf(removed?.card_count ?? 0)} lose it. This cannot be undone.`]}
        action="Remove label"
        is_final
        busy={remove.isPending}
        onConfirm={() => removed && remove.mutate(removed.id, { onSettled: shut })}
      />
    </Dialog>
  )
}

interface FormProps {
  readonly board_id: string
  readonly onDone: () => void
}

function LabelForm({ board_id, label, onDone }: FormProps & { readonly label?: Label }) {
  const [hasColor, setHasColor] = useState(label?.color != null)
  const id = useId()
  const form = useForm(async ({ name = '', color = '' }) => {
    const body = { name, color: hasColor ? color : null }
    const { boards } = labelsApi.acting(newAction())
    if (label) await boards.changeLabel({ params: { label_id: label.id }, body })
    else await boards.createLabel({ params: { board_id }, body })
    await readBoardAgain(board_id)
  }, onDone)
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-3 py-3" noValidate>
      <Field
        label="Name"
        name="name"
        autoFocus
        autoComplete="off"
        defaultValue={label?.name ?? ''}
        error={errorOf(form.problem, 'name')}
      />
      <div className="flex h-8 items-center gap-3">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-ink"
            checked={hasColor}
            onChange={(event) => setHasColor(event.target.checked)}
          />
          With a colour
        </label>
        {hasColor && (
          <input
            id={id}
            type="color"
            name="color"
            aria-label="Colour"
            defaultValue={label?.color ?? '#3b82f6'}
            className="h-8 w-12 rounded-control border border-line-control bg-surface p-1"
          />
        )}
      </div>
      <FormError problem={errorOf(form.problem, 'name') === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy}>
          {label ? 'Save label' : 'Create label'}
        </Button>
      </div>
    </form>
  )
}

interface MergeFormProps extends FormProps {
  readonly label: Label
  readonly others: readonly Label[]
}

function MergeForm({ board_id, label, others, onDone }: MergeFormProps) {
  const form = useForm(async ({ into = '' }) => {
    await labelsApi.acting(newAction()).boards.mergeLabel({ params: { label_id: label.id }, body: { into } })
    await readBoardAgain(board_id)
  }, onDone)
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-3 py-3">
      <Select
        label={`${cardsOf(label.card_count)} get instead of ${label.name}`}
        name="into"
        options={others.map(({ id, name }) => ({ value: id, word: name }))}
      />
      <FormError problem={form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy}>
          Merge {label.name}
        </Button>
      </div>
    </form>
  )
}
