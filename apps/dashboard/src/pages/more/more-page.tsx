import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useMe } from '../../app/session.ts'
import { BrandMenu } from '../../shell/brand-menu.tsx'
import { useDestinations } from '../../shell/sidebar.tsx'
import { useSignOut } from '../../shell/user-menu.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'

/** What has no place in the bar of a phone. */
export function MorePage() {
  const { person } = useMe()
  const pages = useDestinations()
  const signOut = useSignOut()
  return (
    <Page title="More">
      <div className="flex flex-col gap-4 p-4">
        <BrandMenu />
        <ul className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface">
          {pages.map(({ label, to, icon: Icon }) => (
            <li key={to}>
              <Link to={to} className="flex h-12 items-center gap-3 px-4 hover:bg-hover">
                <Icon size={17} strokeWidth={1.75} className="text-ink-2" aria-hidden />
                <span className="grow text-read">{label}</span>
                <ChevronRight size={15} className="text-ink-3" aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
        <p className="px-1 text-ink-2">
          Signed in as {person.full_name}, {person.email}
        </p>
        <Button busy={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      </div>
    </Page>
  )
}
