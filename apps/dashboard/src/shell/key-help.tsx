import { useLocation } from '@tanstack/react-router'
import { paths } from '../app/paths.ts'
import { Dialog } from '../ui/dialog.tsx'
import { KeyCap, modKey } from '../ui/key-cap.tsx'
import { useSingleKeys } from './keys.ts'
import { useDestinations } from './sidebar.tsx'

const boardKeys: readonly (readonly [string, readonly string[]])[] = [
  ['Create a card', ['C']],
  ['Go from card to card', ['H', 'J', 'K', 'L']],
  ['Open the card', ['↵']],
  ['Previous, next card', ['[', ']']],
  ['Lift, carry and drop', ['Space', '←', '→', 'Space']],
  ['Select the card', ['X']],
  ['Select more', ['Shift', 'J']],
  ['Move to a column', ['M']],
  ['Assign', ['A']],
  ['Coder profile', ['P']],
  ['Tags', ['T']],
  ['Status', ['S']],
  ['Board or table', ['V']],
]

const inboxKeys: readonly (readonly [string, readonly string[]])[] = [
  ['Next, previous entry', ['J', 'K']],
  ['Choose an option of the question', ['1', '–', '9']],
  ['Send the answer', [modKey, '↵']],
  ['Done', ['E']],
  ['Unread or read', ['U']],
  ['Snooze', ['Z']],
  ['Open the card', ['O']],
]

interface KeyHelpProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function KeyHelp({ open, onOpenChange }: KeyHelpProps) {
  const areOn = useSingleKeys()
  const { pathname } = useLocation()
  const pages = useDestinations().filter(({ key }) => key !== undefined)
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Search and commands', [modKey, 'K']],
    ['Search', ['/']],
    ['This list', ['?']],
    ...pages.map(({ label, key = '' }) => [`Go to ${label}`, ['G', key.toUpperCase()]] as const),
    ['Close what is open', ['Esc']],
    ...(pathname.includes(`${paths.boards}/`) ? boardKeys : []),
    ...(pathname.includes(paths.inbox) ? inboxKeys : []),
  ]
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      width="m"
      description={areOn ? undefined : 'Single keys are switched off in Settings, Appearance.'}
    >
      <dl className="gap-x-8 md:columns-2">
        {rows.map(([what, keys]) => (
          <div
            key={what}
            className="flex min-h-9 break-inside-avoid items-center justify-between border-line border-b"
          >
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map((key, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a key may be pressed twice
                <KeyCap key={at}>{key}</KeyCap>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
