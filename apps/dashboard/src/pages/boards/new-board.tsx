import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { boardsApi } from '../../app/boards.ts'
import { toBoard } from '../../app/paths.ts'
import { queries } from '../../app/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'

interface NewBoardProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function NewBoard({ open, onOpenChange }: NewBoardProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="New board">
      <BoardForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

/** Of its own, so that it begins empty and with a key of its own whenever the dialog opens. */
function BoardForm({ onDone }: { readonly onDone: () => void }) {
  const navigate = useNavigate()
  const id = useId()
  const [action] = useState(newAction)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string>()
  const form = useForm(
    async ({ name = '', key = '' }) =>
      (await boardsApi.acting(action).boards.createBoard({ body: { name, key } })).body,
    (board) => {
      void queries.invalidateQueries({ queryKey: ['boards'] })
      onDone()
      void navigate(toBoard(board.key))
    },
  )
  const isOfField = ['name', 'key'].some((field) => errorOf(form.problem, field) !== undefined)
  return (
    <form id={id} onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field
        label="Name"
        name="name"
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={errorOf(form.problem, 'name')}
      />
      <Field
        label="Key"
        name="key"
        required
        value={chosen ?? keyFrom(name)}
        onChange={(event) => setChosen(event.target.value.toUpperCase())}
        hint="2 to 10 capital letters. References of its cards begin with it, and it stays."
        error={errorOf(form.problem, 'key')}
      />
      <FormError problem={isOfField ? undefined : form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy}>
          Make board
        </Button>
      </div>
    </form>
  )
}

/** A proposal: the consonants of a name, as people shorten it. */
function keyFrom(name: string): string {
  const letters = name
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
  const short = letters.slice(0, 1) + letters.slice(1).replaceAll(/[AEIOU]/g, '')
  return (short.length >= 3 ? short : letters).slice(0, 3)
}
