import { wipModes } from '@crewhall/contracts/boards/boards.ts'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { boardsApi } from '../../app/boards.ts'
import { paths } from '../../app/paths.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { say } from '../../ui/toast.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { cardsOf } from '../../work/figures.ts'
import type { BoardDialogProps } from './board-menu.tsx'
import { readBoardAgain, useBoardAction } from './board-writes.ts'

/** The board's own fields, and its end. */
export function SettingsDialog({ board, onClose }: BoardDialogProps) {
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const id = useId()
  const form = useForm(async ({ name = '', description = '', wip_limits: chosen }) => {
    const wip_limits = wipModes.find((mode) => mode === chosen) ?? 'shown'
    await boardsApi
      .acting(newAction())
      .boards.changeBoard({ params: { board_id: board.id }, body: { name, description, wip_limits } })
    await readBoardAgain(board.id)
  }, onClose)
  const restore = () =>
    void boardsApi
      .acting(newAction())
      .boards.restoreBoard({ params: { board_id: board.id } })
      .then(() => readBoardAgain(board.id))
  const archive = useBoardAction(board.id, {
    what: 'The board was not archived',
    run: () => boardsApi.acting(newAction()).boards.archiveBoard({ params: { board_id: board.id } }),
  })
  const done = () => {
    say(`${board.name} is archived`, { offer: { label: 'Restore', onClick: restore } })
    void navigate({ to: paths.boards })
  }
  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Settings of ${board.name}`}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
        <Field
          label="Name"
          name="name"
          autoComplete="off"
          defaultValue={board.name}
          error={errorOf(form.problem, 'name')}
        />
        <div className="flex flex-col gap-1.5">
          <label htmlFor={id} className="font-medium">
            Description
          </label>
          <textarea
            id={id}
            name="description"
            rows={3}
            defaultValue={board.description}
            className="w-full rounded-control border border-line-control bg-surface px-3 py-2 text-read focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-live-edge focus-visible:outline-offset-0"
          />
        </div>
        <Select
          label="Limits of columns"
          name="wip_limits"
          defaultValue={board.wip_limits}
          options={[
            { value: 'shown', word: 'Are shown when exceeded' },
            { value: 'enforced', word: 'Refuse cards that exceed them' },
          ]}
        />
        <FormError problem={errorOf(form.problem, 'name') === undefined ? form.problem : undefined} />
        <div className="flex justify-end gap-2">
          <Button className="mr-auto" disabled={!canWrite} onClick={() => setAsking(true)}>
            Archive board
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
            Save
          </Button>
        </div>
      </form>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Archive ${board.name}?`}
        consequences={[
          `Its ${cardsOf(board.card_count)}, comments and history stay readable.`,
          'Nothing can be written to it until it is restored, by agents neither.',
        ]}
        action="Archive board"
        busy={archive.isPending}
        onConfirm={() => archive.mutate(undefined, { onSuccess: done })}
      />
    </Dialog>
  )
}
