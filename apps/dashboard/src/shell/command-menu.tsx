import { Dialog } from '@base-ui/react/dialog'
import * as search from '@crewhall/contracts/boards/search.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Keyboard, LayoutGrid, LogOut, type LucideIcon, Moon, Search, Sun } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useRef, useState } from 'react'
import { apiOf } from '../api/api.ts'
import { boardsQuery } from '../app/boards.ts'
import { paths, toBoard, toCard } from '../app/paths.ts'
import { chooseTheme } from '../app/theme.ts'
import { KeyCap, modKey } from '../ui/key-cap.tsx'
import { CardStatusIcon } from '../ui/status.tsx'
import { offeredCard } from './card-commands.ts'
import { useDestinations } from './sidebar.tsx'
import { useSignOut } from './user-menu.tsx'

const api = apiOf({ boards: routesIn(search) })

interface CommandMenuProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onHelp: () => void
}

/** Everything by name: pages, boards, cards and what can be done anywhere. */
export function CommandMenu({ open, onOpenChange, onHelp }: CommandMenuProps) {
  return (
    <CommandDialog open={open} onOpenChange={onOpenChange}>
      <Choices onHelp={onHelp} onChosen={() => onOpenChange(false)} />
    </CommandDialog>
  )
}

interface CommandDialogProps extends Pick<CommandMenuProps, 'open' | 'onOpenChange'> {
  readonly children: ReactNode
}

/** The frame of a command menu, of members and of guests. */
export function CommandDialog({ open, onOpenChange, children }: CommandDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-120 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed top-[max(12px,13vh)] left-1/2 z-50 flex max-h-[70dvh] w-[calc(100%-24px)] max-w-160 -translate-x-1/2 flex-col overflow-hidden rounded-dialog bg-raised shadow-menu outline-none">
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Choices({ onHelp, onChosen }: { readonly onHelp: () => void; readonly onChosen: () => void }) {
  const [text, setText] = useState('')
  const [card] = useState(offeredCard)
  const pages = useDestinations()
  const { data: boards } = useQuery(boardsQuery)
  const { data: found } = useFoundCards(useDeferredValue(text.trim()))
  const signOut = useSignOut()
  const { go, onKeyDown } = useGoing()
  const then = (run: () => void) => () => {
    onChosen()
    run()
  }
  return (
    <Command label="Search and commands" loop onKeyDown={onKeyDown} className="flex min-h-0 flex-col">
      <CommandField
        value={text}
        onChange={setText}
        about={card?.ref}
        placeholder="Search cards, pages and commands"
      />
      <Command.List className="min-h-0 grow overflow-y-auto p-2">
        <Command.Empty className="px-3 py-8 text-center text-ink-2">
          Nothing is called “{text}” here.
        </Command.Empty>
        {card && (
          <Group heading="This card">
            {card.commands.map(({ label, note, icon, key, run }) => (
              <Choice
                key={label}
                value={`card ${label}`}
                icon={icon}
                label={label}
                {...(note !== undefined && { note })}
                keys={key === undefined ? [] : [key]}
                onSelect={then(run)}
              />
            ))}
          </Group>
        )}
        <Group heading="Go to">
          {pages.map(({ label, to, icon, key }) => (
            <Choice
              key={to}
              value={`page ${label}`}
              icon={icon}
              label={label}
              keys={key === undefined ? [] : ['G', key.toUpperCase()]}
              onSelect={then(() => void go({ to }))}
            />
          ))}
          {boards?.items.map(({ id, key, name }) => (
            <Choice
              key={id}
              value={`board ${key} ${name}`}
              icon={LayoutGrid}
              label={name}
              note={key}
              onSelect={then(() => void go(toBoard(key)))}
            />
          ))}
        </Group>
        {found && found.items.length > 0 && (
          <Group heading="Cards">
            {found.items.map(({ id, ref, title, status, board }) => (
              <Command.Item
                key={id}
                // The server has chosen them by the text, also by words that do not stand in the title.
                value={`${text} ${ref} ${title}`}
                onSelect={then(() => void go(toCard(ref)))}
                className={choiceClass}
              >
                <CardStatusIcon status={status} />
                <span className="truncate font-medium">{title}</span>
                <span className="shrink-0 text-ink-2 text-meta max-md:hidden">
                  {ref}, {board}
                </span>
              </Command.Item>
            ))}
          </Group>
        )}
        <Group heading="Do">
          <Choice
            value="light theme"
            icon={Sun}
            label="Use the light theme"
            onSelect={then(() => chooseTheme('light'))}
          />
          <Choice
            value="dark theme"
            icon={Moon}
            label="Use the dark theme"
            onSelect={then(() => chooseTheme('dark'))}
          />
          <Choice
            value="keyboard shortcuts help"
            icon={Keyboard}
            label="Show keyboard shortcuts"
            keys={['?']}
            onSelect={then(onHelp)}
          />
          <Choice value="sign out" icon={LogOut} label="Sign out" onSelect={then(() => signOut.mutate())} />
        </Group>
        {/* Last: a page, a card or a command that is called so comes first. */}
        {text.trim() !== '' && (
          <Group heading="Search">
            <Choice
              value={`search all cards for ${text}`}
              icon={Search}
              label={`Search all cards for “${text.trim()}”`}
              onSelect={then(() => void go({ to: paths.search, search: { q: text.trim() } }))}
            />
          </Group>
        )}
      </Command.List>
      <footer className="hidden h-10 shrink-0 items-center gap-4 border-line border-t px-4 text-ink-2 text-meta md:flex">
        <Hint keys={['↑', '↓']}>choose</Hint>
        <Hint keys={['↵']}>open</Hint>
        <Hint keys={[modKey, '↵']}>in a new tab</Hint>
        <span className="ml-auto" />
        <Hint keys={['?']}>all shortcuts</Hint>
      </footer>
    </Command>
  )
}

/** Goes there; in a new tab while the modifier key is held. */
function useGoing() {
  const navigate = useNavigate()
  const router = useRouter()
  const inNewTab = useRef(false)
  const go = (async (place: Parameters<typeof navigate>[0]) => {
    if (inNewTab.current) window.open(router.buildLocation(place).href, '_blank', 'noopener')
    else await navigate(place)
  }) as typeof navigate
  const onKeyDown = (event: KeyboardEvent) => {
    inNewTab.current = event.key === 'Enter' && (event.metaKey || event.ctrlKey)
  }
  return { go, onKeyDown }
}

/** Cards are searched by the server, from two letters on. */
function useFoundCards(q: string) {
  return useQuery({
    queryKey: ['found-cards', q],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).boards.searchCards({ query: { q, per_page: '6' } })).body,
    enabled: q.length >= 2,
    placeholderData: (before) => before,
  })
}

const choiceClass =
  'flex min-h-[var(--ch-row)] cursor-default items-center gap-3 rounded-control px-2 data-[selected=true]:bg-selected'

interface CommandFieldProps {
  /** The reference of the card that commands act on. */
  readonly about?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder: string
}

export function CommandField({ about, value, onChange, placeholder }: CommandFieldProps) {
  return (
    <div className="flex h-13 shrink-0 items-center gap-3 border-line border-b px-4">
      <Search size={17} className="shrink-0 text-ink-2" aria-hidden />
      {about !== undefined && (
        <span className="shrink-0 rounded-tag bg-sunken px-1.5 py-0.5 font-mono text-meta">{about}</span>
      )}
      <Command.Input
        value={value}
        onValueChange={onChange}
        placeholder={placeholder}
        className="h-full grow bg-transparent text-section outline-none placeholder:text-ink-3"
      />
      <KeyCap>Esc</KeyCap>
    </div>
  )
}

export function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="pb-1 [&>[cmdk-group-heading]]:px-2 [&>[cmdk-group-heading]]:py-1.5 [&>[cmdk-group-heading]]:text-ink-3 [&>[cmdk-group-heading]]:text-meta"
    >
      {children}
    </Command.Group>
  )
}

interface ChoiceProps {
  readonly value: string
  readonly icon: LucideIcon
  readonly label: string
  readonly note?: string
  readonly keys?: readonly string[]
  readonly onSelect: () => void
}

export function Choice({ value, icon: Icon, label, note, keys = [], onSelect }: ChoiceProps) {
  return (
    <Command.Item value={value} onSelect={onSelect} className={choiceClass}>
      <Icon size={16} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      <span className="truncate font-medium">{label}</span>
      {note !== undefined && (
        <span className="shrink-[99] truncate text-ink-2 text-meta max-md:hidden">{note}</span>
      )}
      <span className="ml-auto flex gap-1">
        {keys.map((key) => (
          <KeyCap key={key}>{key}</KeyCap>
        ))}
      </span>
    </Command.Item>
  )
}

function Hint({ keys, children }: { readonly keys: readonly string[]; readonly children: ReactNode }) {
  return (
    <span className="flex items-center gap-1.5">
      {keys.map((key) => (
        <KeyCap key={key}>{key}</KeyCap>
      ))}
      {children}
    </span>
  )
}
