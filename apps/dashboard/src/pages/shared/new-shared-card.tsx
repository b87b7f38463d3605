import type { SharedBoard } from '@crewhall/contracts/boards/shared.ts'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { sharedApi } from '../../app/shared.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { say } from '../../ui/toast.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { readBoardAgain } from './shared-board-data.ts'
import { TextField } from './text-field.tsx'

interface NewSharedCardProps {
  readonly board: SharedBoard
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function NewSharedCard({ board, open, onOpenChange }: NewSharedCardProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="New card"
      description="Agents get a card of a guest only after a member has taken it over."
    >
      <CardForm board={board} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

/** Of its own, so that it begins empty and with a key of its own whenever the dialog opens. */
function CardForm({ board, onDone }: { readonly board: SharedBoard; readonly onDone: () => void }) {
  const [action] = useState(newAction)
  const form = useForm(
    async ({ title = '', description = '', column = '' }) =>
      (
        await sharedApi.acting(action).boards.createSharedCard({
          params: { board_id: board.id },
          body: { title, description, ...(column === '' ? {} : { column }) },
        })
      ).body,
    ({ ref }) => {
      void readBoardAgain(board.id)
      say(`${ref} created`)
      onDone()
    },
  )
  const wrong = errorOf(form.problem, 'title')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="Title" name="title" required autoFocus error={wrong} />
      <TextField label="Description" name="description" />
      <Select
        label="Column"
        name="column"
        options={board.columns.map(({ name }) => ({ value: name, word: name }))}
      />
      <FormError problem={wrong === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy}>
          Create card
        </Button>
      </div>
    </form>
  )
}
