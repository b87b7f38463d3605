import { Link, Navigate } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { Page } from '../../ui/page.tsx'
import { usePhone } from '../../ui/use-wide.ts'
import { useSettingsPages } from './settings-pages.ts'

/** The navigation of settings as a list, for phones; where there is room for both, its first page. */
export function SettingsPage() {
  return usePhone() ? <SettingsList /> : <Navigate to={paths.features} replace />
}

function SettingsList() {
  const pages = useSettingsPages()
  return (
    <Page title="Settings" back={{ label: 'More', to: paths.more }}>
      <nav aria-label="Settings" className="flex flex-col gap-5 p-4">
        {pages.map(([name, entries]) => (
          <div key={name}>
            <h2 className="mb-2 px-1 text-ink-2 text-meta">{name}</h2>
            <ul className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface">
              {entries.map(({ label, to, icon: Icon, count: Count }) => (
                <li key={to}>
                  <Link to={to} className="flex h-12 items-center gap-3 px-4 hover:bg-hover">
                    <Icon size={17} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
                    <span className="grow truncate text-read">{label}</span>
                    {Count && (
                      <span className="text-ink-2 text-meta">
                        <Count />
                      </span>
                    )}
                    <ChevronRight size={15} className="shrink-0 text-ink-3" aria-hidden />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </Page>
  )
}
