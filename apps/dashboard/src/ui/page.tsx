import { Link } from '@tanstack/react-router'
import { ArrowLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useKnownUnread } from '../app/inbox.ts'
import { LiveMark } from '../shell/live-mark.tsx'
import { classNames } from './class-names.ts'
import { Logo } from './logo.tsx'

interface Crumb {
  readonly label: string
  readonly to: string
}

interface PageProps {
  /** The last crumb is the title of the page: there is no second heading. */
  readonly title: string
  /** The title is what a machine says. */
  readonly isCode?: boolean
  /** At most two. */
  readonly crumbs?: readonly Crumb[]
  /** The page above it, for phones, which show no crumbs; without it they show the mark of the product. */
  readonly back?: Crumb
  /** Right in the top bar; the primary button last. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of the shell: top bar with breadcrumbs and actions, then the content. */
export function Page({ title, isCode, crumbs = [], back, actions, children }: PageProps) {
  const unread = useKnownUnread()
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title} · Crewhall`
  }, [title, unread])
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col">
      <header className="flex h-[var(--ch-topbar)] shrink-0 items-center gap-2 border-line border-b px-4 md:px-5">
        {back ? (
          <Link
            to={back.to}
            aria-label={`Back to ${back.label}`}
            className="-ml-2 flex size-10 shrink-0 items-center justify-center rounded-control md:hidden"
          >
            <ArrowLeft size={18} strokeWidth={1.75} aria-hidden />
          </Link>
        ) : (
          <span className="md:hidden">
            <Logo size={22} />
          </span>
        )}
        {crumbs.map(({ label, to }) => (
          <span key={to} className="hidden items-center gap-2 md:flex">
            <Link to={to} className="rounded-tag text-ink-2 hover:text-ink">
              {label}
            </Link>
            <ChevronRight size={14} className="text-ink-3" aria-hidden />
          </span>
        ))}
        <h1
          className={classNames('min-w-0 truncate font-semibold max-md:text-section', isCode && 'font-mono')}
          title={title}
          dir="auto"
        >
          {title}
        </h1>
        <div className="ml-auto flex items-center gap-2">
          {/* Beside a way back there is room for the title, and for the mark only when it says more. */}
          <span className="md:hidden">
            <LiveMark isQuiet={back !== undefined} />
          </span>
          {actions}
        </div>
      </header>
      <main className="flex min-h-0 grow flex-col overflow-y-auto" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
