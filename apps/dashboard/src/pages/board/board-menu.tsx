import type { Board } from '@crewhall/contracts/boards/boards.ts'
import { useNavigate } from '@tanstack/react-router'
import { Activity, Columns3, Download, Ellipsis, Settings2, Tag, UsersRound, Zap } from 'lucide-react'
import { Suspense, useState } from 'react'
import { latePart } from '../../app/late.tsx'
import { paths } from '../../app/paths.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'

// Rarely opened, and nobody waits for them.
const ColumnsDialog = latePart(() =>
  import('./columns-dialog.tsx').then(({ ColumnsDialog }) => ColumnsDialog),
)
const LabelsDialog = latePart(() => import('./labels-dialog.tsx').then(({ LabelsDialog }) => LabelsDialog))
const GuestsDialog = latePart(() => import('./guests-dialog.tsx').then(({ GuestsDialog }) => GuestsDialog))
const SettingsDialog = latePart(() =>
  import('./settings-dialog.tsx').then(({ SettingsDialog }) => SettingsDialog),
)
const ExportDialog = latePart(() => import('./export-dialog.tsx').then(({ ExportDialog }) => ExportDialog))

/** What every dialog of the board gets. */
export interface BoardDialogProps {
  readonly board: Board
  readonly onClose: () => void
}

const dialogs = {
  columns: ColumnsDialog,
  labels: LabelsDialog,
  guests: GuestsDialog,
  settings: SettingsDialog,
  export: ExportDialog,
} as const

/** What is done with a board as a whole, and how it is made up. */
export function BoardMenu({ board }: { readonly board: Board }) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<keyof typeof dialogs>()
  const Shown = open && dialogs[open]
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label="More of this board" className="size-[var(--ch-control-s)]!">
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem
          icon={Zap}
          onSelect={() => void navigate({ to: paths.ready, search: { board: board.key } })}
        >
          Ready queue
        </MenuItem>
        <MenuItem
          icon={Activity}
          onSelect={() => void navigate({ to: paths.activity, search: { board: board.key } })}
        >
          Activity
        </MenuItem>
        <MenuItem icon={Columns3} onSelect={() => setOpen('columns')}>
          Columns and limits
        </MenuItem>
        <MenuItem icon={Tag} onSelect={() => setOpen('labels')}>
          Labels
        </MenuItem>
        <MenuItem icon={UsersRound} onSelect={() => setOpen('guests')}>
          Guests
        </MenuItem>
        <MenuItem icon={Settings2} onSelect={() => setOpen('settings')}>
          Name, description, archive
        </MenuItem>
        <MenuItem icon={Download} onSelect={() => setOpen('export')}>
          Export…
        </MenuItem>
      </Menu>
      {Shown && (
        <Suspense>
          <Shown board={board} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  )
}
