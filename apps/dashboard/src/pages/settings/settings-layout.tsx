import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Page } from '../../ui/page.tsx'
import { RefusedPlace } from '../../ui/refused-place.ts'
import { Admins } from './admins.tsx'
import { useSettingsPages } from './settings-pages.ts'

interface SettingsProps {
  readonly title: string
  /** Between Settings and the title; at most one. */
  readonly crumbs?: readonly { readonly label: string; readonly to: string }[]
  readonly actions?: ReactNode
  /** A pane of its own beside the page. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

const top = { label: 'Settings', to: paths.settings }
const refused = { Who: Admins, back: top }

/** A page of settings: a second column of navigation, and the page beside it. A phone has the way back to the list. */
export function SettingsLayout({ title, crumbs = [], actions, aside, children }: SettingsProps) {
  const pages = useSettingsPages()
  return (
    <Page title={title} crumbs={[top, ...crumbs]} back={crumbs[0] ?? top} actions={actions}>
      <div className="flex min-h-full shrink-0">
        <nav aria-label="Settings" className="hidden w-47 shrink-0 border-line border-r md:block">
          {/* Beside a long list it stays in sight. */}
          <div className="sticky top-0 max-h-[calc(100dvh-var(--ch-topbar))] overflow-y-auto py-4 pr-2.5 pl-5">
            {pages.map(([name, entries]) => (
              <div key={name} className="mb-3">
                <h2 className="px-2 py-1 text-ink-3 text-meta">{name}</h2>
                {entries.map(({ label, to, icon: Icon, count: Count }) => (
                  <Link
                    key={to}
                    to={to}
                    className="flex h-7 items-center gap-2.5 rounded-control px-2 text-ink-2 hover:bg-hover"
                    activeProps={{ className: 'bg-idle-bg! text-ink! font-medium' }}
                  >
                    <Icon size={15} strokeWidth={1.75} className="shrink-0" aria-hidden />
                    <span className="truncate font-[450]">{label}</span>
                    {Count && (
                      <span className="ml-auto text-meta">
                        <Count />
                      </span>
                    )}
                  </Link>
                ))}
              </div>
            ))}
          </div>
        </nav>
        <div className="min-w-0 grow p-4 md:p-6 md:pt-5">
          <RefusedPlace value={refused}>{children}</RefusedPlace>
        </div>
        {aside}
      </div>
    </Page>
  )
}
