import type { Page as DocsPage } from '@crewhall/contracts/docs-spaces/pages.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Pencil, RefreshCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isGone } from '../../api/problem.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, useLate } from '../../ui/states.tsx'
import { Prose } from '../../work/prose.tsx'
import { Comparison } from './comparison.tsx'
import { type DocsSource, pageQuery, pagesQuery, type SpaceFacts, spaceQuery } from './docs-data.ts'
import { Finder, manyPages, matching } from './space-view.tsx'

interface PageViewProps {
  readonly source: DocsSource
  readonly menu?: (space: SpaceFacts, page: DocsPage) => ReactNode
}

/** A page to read, beside the other pages of its space. */
export function PageView({ source, menu }: PageViewProps) {
  const { space: space_id = '', page: page_id = '' } = useParams({ strict: false })
  const space = useQuery(spaceQuery(source, space_id)).data
  const page = useQuery(pageQuery(source, space_id, page_id))
  const canWrite = useCanWrite()
  return (
    <Page
      title={page.data?.title ?? 'Page'}
      crumbs={[
        { label: source.label, to: source.hrefs.spaces },
        { label: space?.name ?? 'Space', to: source.hrefs.space(space_id) },
      ]}
      back={{ label: space?.name ?? 'All pages', to: source.hrefs.space(space_id) }}
      actions={
        space &&
        page.data && (
          <>
            {menu?.(space, page.data)}
            {space.can_write && <EditLink href={source.hrefs.edit(space_id, page_id)} canWrite={canWrite} />}
          </>
        )
      }
    >
      <div className="flex min-h-0 grow">
        <PageList source={source} space_id={space_id} page_id={page_id} />
        <div className="flex min-w-0 grow flex-col overflow-y-auto">
          {/* A page that was deleted, or is no longer shared, closes at once. */}
          {page.error && (!page.data || isGone(page.error)) ? (
            <ErrorState error={page.error} what="The page" onRetry={() => void page.refetch()} />
          ) : page.data ? (
            <Reading key={page_id} page={page.data} />
          ) : (
            <SkeletonPage />
          )}
        </div>
      </div>
    </Page>
  )
}

function EditLink({ href, canWrite }: { readonly href: string; readonly canWrite: boolean }) {
  const words = (
    <>
      <Pencil size={14} aria-hidden />
      Edit
    </>
  )
  return canWrite ? (
    <Link to={href} className={buttonClass({ look: 'primary' })}>
      {words}
    </Link>
  ) : (
    <span data-disabled title="The server cannot be reached" className={buttonClass({ look: 'primary' })}>
      {words}
    </span>
  )
}

/** What somebody reads, and what has become of it meanwhile. */
function Reading({ page }: { readonly page: DocsPage }) {
  const now = useNow()
  const [seen, setSeen] = useState(page)
  const [isComparing, setComparing] = useState(false)
  const hasChanged = page.version !== seen.version
  return (
    <article className="mx-auto flex w-full max-w-190 flex-col gap-4 px-4 pt-5 pb-16 md:px-8 md:pt-7">
      {hasChanged && (
        <div className="flex flex-col gap-3 rounded-card border border-live-edge bg-live-bg p-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <p role="status" className="flex grow items-center gap-2 text-live">
              <RefreshCw size={14} className="shrink-0" aria-hidden />
              Changed while you were reading: this is version {page.version}, you had version {seen.version}.
            </p>
            <Button size="s" onClick={() => setComparing(!isComparing)} aria-expanded={isComparing}>
              {isComparing ? 'Hide changes' : 'Show changes'}
            </Button>
            <Button
              size="s"
              onClick={() => {
                setSeen(page)
                setComparing(false)
              }}
            >
              Got it
            </Button>
          </div>
          {isComparing && (
            <Comparison
              first={`${seen.title}\n\n${seen.body}`}
              second={`${page.title}\n\n${page.body}`}
              names={[`version ${seen.version}`, `version ${page.version}`]}
            />
          )}
        </div>
      )}
      <header>
        <h2 className="break-words font-semibold text-page" dir="auto">
          {page.title}
        </h2>
        <p className="mt-1 text-ink-3 text-meta">
          By {page.author.name}, <time dateTime={page.created_at}>{whenTold(page.created_at, now)}</time>
          {page.version > 1 && (
            <>
              . Version {page.version},{' '}
              <time dateTime={page.updated_at} title={page.updated_at}>
                {whenTold(page.updated_at, now)}
              </time>
            </>
          )}
        </p>
      </header>
      {page.body.trim() === '' ? (
        <p className="text-ink-2">Nothing is written here yet.</p>
      ) : (
        <Prose text={page.body} below={2} />
      )}
    </article>
  )
}

interface PageListProps {
  readonly source: DocsSource
  readonly space_id: string
  readonly page_id: string
}

function PageList({ source, space_id, page_id }: PageListProps) {
  const { data = [] } = useQuery(pagesQuery(source, space_id))
  const [typed, setTyped] = useState('')
  return (
    <nav
      aria-label="Pages of this space"
      className="hidden w-60 shrink-0 flex-col gap-px overflow-y-auto border-line border-r px-3 py-3 lg:flex"
    >
      {data.length > manyPages && (
        <div className="pb-2">
          <Finder value={typed} onChange={setTyped} />
        </div>
      )}
      {matching(data, typed).map(({ id, title }) => (
        <Link
          key={id}
          to={source.hrefs.page(space_id, id)}
          title={title}
          dir="auto"
          aria-current={id === page_id ? 'page' : undefined}
          className={classNames(
            'block shrink-0 truncate rounded-control px-2 py-1',
            id === page_id ? 'bg-idle-bg font-medium' : 'text-ink-2 hover:bg-hover',
          )}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}

const lines = [38, 92, 88, 94, 61, 0, 90, 84, 47]

export function SkeletonPage() {
  const isLate = useLate()
  return (
    <div aria-busy className="mx-auto flex w-full max-w-190 flex-col gap-3 px-4 pt-8 md:px-8">
      <span className="sr-only">Loading</span>
      {isLate &&
        lines.map((width, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a sketch has no names
            key={at}
            className={classNames('animate-skeleton rounded-tag bg-idle-bg', at === 0 ? 'mb-3 h-5' : 'h-2.5')}
            style={{ width: `${width}%` }}
          />
        ))}
    </div>
  )
}
