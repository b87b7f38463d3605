import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { newAction } from '../api/own-fetch.ts'
import { paths } from '../app/paths.ts'
import { sessionApi, takeSession, useBrand, useMe } from '../app/session.ts'
import { Logo } from '../ui/logo.tsx'
import { Menu, MenuHeading, MenuItem } from '../ui/menu.tsx'
import { sayFailed } from '../ui/toast.tsx'

/** The workspace this session acts for, and the others of the person. */
export function BrandMenu() {
  const { memberships, brand_id } = useMe()
  const { name } = useBrand()
  const navigate = useNavigate()
  const change = useMutation({
    mutationFn: async (chosen: number) =>
      (await sessionApi.acting(newAction()).identity.switchBrand({ body: { brand_id: chosen } })).body,
    onSuccess: (me) => {
      takeSession(me)
      void navigate({ to: paths.home })
    },
    onError: (error) => sayFailed('The workspace was not switched', error),
  })
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex h-8 min-w-0 items-center gap-2 rounded-control px-1.5 font-semibold text-read hover:bg-hover"
        >
          <Logo />
          <span className="truncate">{name}</span>
          <ChevronDown size={14} className="shrink-0 text-ink-2" aria-hidden />
          <span className="sr-only">Switch workspace</span>
        </button>
      }
    >
      <MenuHeading>Your workspaces</MenuHeading>
      {memberships.map((each) => (
        <MenuItem
          key={each.brand_id}
          isChosen={each.brand_id === brand_id}
          note={each.role === 'admin' ? 'You are an admin' : 'You are a member'}
          onSelect={() => each.brand_id !== brand_id && change.mutate(each.brand_id)}
        >
          {each.name}
        </MenuItem>
      ))}
    </Menu>
  )
}
