import { Link } from '@tanstack/react-router'
import { Layers, type LucideIcon, Moon } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Page } from '../../ui/page.tsx'

interface Entry {
  readonly label: string
  readonly to: string
  readonly icon: LucideIcon
}

/** The pages of settings that there are. A new one adds one line. */
const groups: readonly (readonly [string, readonly Entry[]])[] = [
  ['Workspace', [{ label: 'Features', to: paths.features, icon: Layers }]],
  ['You', [{ label: 'Appearance', to: paths.appearance, icon: Moon }]],
]

interface SettingsProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of settings: a second column of navigation, and the page beside it. */
export function SettingsLayout({ title, actions, children }: SettingsProps) {
  return (
    <Page title={title} crumbs={[{ label: 'Settings', to: paths.settings }]} actions={actions}>
      <div className="flex min-h-full flex-col md:flex-row">
        <nav
          aria-label="Settings"
          className="shrink-0 border-line border-b p-3 md:w-47 md:border-r md:border-b-0 md:px-5 md:py-4"
        >
          {groups.map(([name, entries]) => (
            <div key={name} className="mb-3">
              <h2 className="px-2 py-1 text-ink-3 text-meta">{name}</h2>
              {entries.map(({ label, to, icon: Icon }) => (
                <Link
                  key={to}
                  to={to}
                  className="flex h-7 items-center gap-2.5 rounded-control px-2 text-ink-2 hover:bg-hover"
                  activeProps={{ className: 'bg-idle-bg! text-ink! font-medium' }}
                >
                  <Icon size={15} strokeWidth={1.75} aria-hidden />
                  {label}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <div className="min-w-0 grow p-4 md:p-6">{children}</div>
      </div>
    </Page>
  )
}
