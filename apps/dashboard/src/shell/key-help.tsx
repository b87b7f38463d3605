import { Dialog } from '../ui/dialog.tsx'
import { KeyCap, modKey } from '../ui/key-cap.tsx'
import { useSingleKeys } from './keys.ts'
import { useDestinations } from './sidebar.tsx'

interface KeyHelpProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function KeyHelp({ open, onOpenChange }: KeyHelpProps) {
  const areOn = useSingleKeys()
  const pages = useDestinations().filter(({ key }) => key !== undefined)
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Search and commands', [modKey, 'K']],
    ['Search', ['/']],
    ['This list', ['?']],
    ...pages.map(({ label, key = '' }) => [`Go to ${label}`, ['G', key.toUpperCase()]] as const),
    ['Close what is open', ['Esc']],
  ]
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      description={areOn ? undefined : 'Single keys are switched off in Settings, Appearance.'}
    >
      <dl className="divide-y divide-line">
        {rows.map(([what, keys]) => (
          <div key={what} className="flex h-9 items-center justify-between">
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <KeyCap key={key}>{key}</KeyCap>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
