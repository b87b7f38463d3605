import type { Board } from '@crewhall/contracts/boards/boards.ts'
import { cardTaskTypes, priorities } from '@crewhall/contracts/boards/card-fields.ts'
import { useId, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { useDraft } from '../../app/drafts.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { cardsApi, readAgain } from '../../work/board-cards.ts'
import { priorityWords, taskTypeWords } from '../../work/words.tsx'

interface NewCardProps {
  readonly board: Board
  /** Where it goes at first, by id; undefined while no card is made. */
  readonly column: string | undefined
  readonly onClose: () => void
  readonly onMade: (task_id: string, ref: string) => void
  readonly onClosed: () => void
}

export function NewCard({ board, column, onClose, onMade, onClosed }: NewCardProps) {
  return (
    <Dialog
      open={column !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title="New card"
      description={`On ${board.name}`}
      width="m"
      onClosed={onClosed}
    >
      {column !== undefined && <CardForm board={board} column={column} onClose={onClose} onMade={onMade} />}
    </Dialog>
  )
}

const oneOf = <const Value extends string>(all: readonly Value[], value: string | undefined) =>
  all.find((each) => each === value)

function CardForm({
  board,
  column,
  onClose,
  onMade,
}: Omit<NewCardProps, 'onClosed'> & { readonly column: string }) {
  const [action] = useState(newAction)
  const id = useId()
  const canWrite = useCanWrite()
  const [title, setTitle] = useDraft(`${board.id}.title`)
  const [description, setDescription] = useDraft(`${board.id}.description`)
  const form = useForm(
    async (values) => {
      const { title = '', description = '', column = '' } = values
      const [priority, task_type] = [
        oneOf(priorities, values.priority),
        oneOf(cardTaskTypes, values.task_type),
      ]
      const { body } = await cardsApi.acting(action).boards.createCard({
        params: { board_id: board.id },
        query: { return: 'receipt' },
        body: { title, description, column, ...(priority && { priority }), ...(task_type && { task_type }) },
      })
      const made = 'task_id' in body ? body.task_id : body.id
      await readAgain(board.id, made).catch(() => {})
      return { id: made, ref: body.ref }
    },
    (made) => {
      setTitle('')
      setDescription('')
      onClose()
      onMade(made.id, made.ref)
    },
  )
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field
        label="Title"
        name="title"
        autoFocus
        autoComplete="off"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        error={errorOf(form.problem, 'title')}
      />
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          Description
        </label>
        <textarea
          id={id}
          name="description"
          rows={4}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          className="w-full rounded-control border border-line-control bg-surface px-3 py-2 text-read focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-live-edge focus-visible:outline-offset-0"
        />
      </div>
      <div className="grid grid-cols-1 gap-3 md:grid-cols-3">
        <Select
          label="Column"
          name="column"
          defaultValue={column}
          options={board.columns.map(({ id, name }) => ({ value: id, word: name }))}
        />
        <Select label="Priority" name="priority" defaultValue="none" options={priorityWords} />
        <Select label="Type" name="task_type" defaultValue="coding" options={taskTypeWords} />
      </div>
      <FormError problem={errorOf(form.problem, 'title') === undefined ? form.problem : undefined} />
      <div className="flex items-center justify-end gap-2">
        {!canWrite && (
          <p className="mr-auto text-meta text-warn">
            The server cannot be reached. What you type is kept in this tab.
          </p>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          Create card
        </Button>
      </div>
    </form>
  )
}
