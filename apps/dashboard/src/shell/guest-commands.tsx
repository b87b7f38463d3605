import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { BookText, Kanban, LogOut, Moon, Share2, Sun } from 'lucide-react'
import { useState } from 'react'
import { paths, sharedBoardHref, sharedSpaceHref } from '../app/paths.ts'
import { sharedQuery } from '../app/shared.ts'
import { chooseTheme } from '../app/theme.ts'
import { Choice, CommandDialog, CommandField, Group } from './command-menu.tsx'
import { useSignOut } from './user-menu.tsx'

interface GuestCommandsProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** What a guest may open, by name. */
export function GuestCommands({ open, onOpenChange }: GuestCommandsProps) {
  return (
    <CommandDialog open={open} onOpenChange={onOpenChange}>
      <Choices onChosen={() => onOpenChange(false)} />
    </CommandDialog>
  )
}

function Choices({ onChosen }: { readonly onChosen: () => void }) {
  const [text, setText] = useState('')
  const { data } = useQuery(sharedQuery)
  const navigate = useNavigate()
  const signOut = useSignOut()
  const then = (run: () => void) => () => {
    onChosen()
    run()
  }
  const go = (to: string) => then(() => void navigate({ to }))
  return (
    <Command label="Search and commands" loop className="flex min-h-0 flex-col">
      <CommandField value={text} onChange={setText} placeholder="Search what is shared with you" />
      <Command.List className="min-h-0 grow overflow-y-auto p-2">
        <Command.Empty className="px-3 py-8 text-center text-ink-2">
          Nothing is called “{text}” here.
        </Command.Empty>
        <Group heading="Go to">
          <Choice value="shared with you" icon={Share2} label="Shared with you" onSelect={go(paths.shared)} />
          {data?.boards.map(({ id, key, name }) => (
            <Choice
              key={id}
              value={`board ${key} ${name} ${id}`}
              icon={Kanban}
              label={name}
              note={key}
              onSelect={go(sharedBoardHref(id))}
            />
          ))}
          {data?.spaces.map(({ id, name }) => (
            <Choice
              key={id}
              value={`documents ${name} ${id}`}
              icon={BookText}
              label={name}
              onSelect={go(sharedSpaceHref(id))}
            />
          ))}
        </Group>
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
          <Choice value="sign out" icon={LogOut} label="Sign out" onSelect={then(() => signOut.mutate())} />
        </Group>
      </Command.List>
    </Command>
  )
}
