import type { Board } from '@crewhall/contracts/boards/boards.ts'
import { useNavigate } from '@tanstack/react-router'
import { Download, Ellipsis, Zap } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'

const ExportDialog = lazy(() =>
  import('./export-dialog.tsx').then(({ ExportDialog }) => ({ default: ExportDialog })),
)

/** What is done with a board as a whole. */
export function BoardMenu({ board }: { readonly board: Board }) {
  const navigate = useNavigate()
  const [isExporting, setExporting] = useState(false)
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
        <MenuItem icon={Download} onSelect={() => setExporting(true)}>
          Export…
        </MenuItem>
      </Menu>
      {isExporting && (
        <Suspense>
          <ExportDialog board={board} onClose={() => setExporting(false)} />
        </Suspense>
      )}
    </>
  )
}
