import { useMutation } from '@tanstack/react-query'
import { Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { sessionApi, takeSession, useMe } from '../app/session.ts'
import { chooseTheme, type Theme, themes, useTheme } from '../app/theme.ts'
import { Avatar } from '../ui/avatar.tsx'
import { KeyCap } from '../ui/key-cap.tsx'
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx'
import { sayFailed } from '../ui/toast.tsx'

const looks: Readonly<Record<Theme, readonly [string, typeof Sun]>> = {
  system: ['As the system', Monitor],
  light: ['Light', Sun],
  dark: ['Dark', Moon],
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => sessionApi.acting({}).identity.signOut(),
    onSuccess: () => takeSession(null),
    onError: (error) => sayFailed('You are still signed in', error),
  })
}

/** Without help where there are no keys to explain. */
export function UserMenu({ onHelp }: { readonly onHelp?: () => void }) {
  const { person } = useMe()
  const theme = useTheme()
  const signOut = useSignOut()
  return (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          className="flex h-8 min-w-0 items-center gap-2 rounded-control px-1 font-medium hover:bg-hover"
        >
          <Avatar name={person.full_name} id={String(person.id)} kind="person" image={person.image} />
          <span className="truncate">{person.full_name}</span>
          <span className="sr-only">Your menu</span>
        </button>
      }
    >
      <MenuHeading>{person.email}</MenuHeading>
      {themes.map((each) => (
        <MenuItem
          key={each}
          icon={looks[each][1]}
          isChosen={each === theme}
          onSelect={() => chooseTheme(each)}
        >
          {looks[each][0]}
        </MenuItem>
      ))}
      <MenuLine />
      {onHelp && (
        <MenuItem icon={Keyboard} keys={<KeyCap>?</KeyCap>} onSelect={onHelp}>
          Keyboard shortcuts
        </MenuItem>
      )}
      <MenuItem icon={LogOut} onSelect={() => signOut.mutate()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
