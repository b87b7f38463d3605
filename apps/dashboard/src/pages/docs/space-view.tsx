import type { PageEntry } from '@crewhall/contracts/docs-spaces/pages.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileText, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isGone } from '../../api/problem.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { type DocsSource, pagesQuery, type SpaceFacts, spaceQuery } from './docs-data.ts'

interface SpaceViewProps {
  readonly source: DocsSource
  /** What its members may do with the space. */
  readonly menu?: (space: SpaceFacts) => ReactNode
}

/** A space with the list of its pages. */
export function SpaceView({ source, menu }: SpaceViewProps) {
  const { space: space_id = '' } = useParams({ strict: false })
  const space = useQuery(spaceQuery(source, space_id))
  const canWrite = useCanWrite() && space.data?.can_write === true
  return (
    <Page
      title={space.data?.name ?? 'Space'}
      crumbs={[{ label: source.label, to: source.hrefs.spaces }]}
      actions={
        space.data && (
          <>
            {menu?.(space.data)}
            {space.data.can_write && <NewPageLink source={source} space={space.data} canWrite={canWrite} />}
          </>
        )
      }
    >
      {/* What is not there any more is not shown either, although it is known. */}
      {space.error && (!space.data || isGone(space.error)) ? (
        <ErrorState error={space.error} what="The space" onRetry={() => void space.refetch()} />
      ) : space.data ? (
        <Pages source={source} space={space.data} canWrite={canWrite} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  )
}

interface PagesProps {
  readonly source: DocsSource
  readonly space: SpaceFacts
  readonly canWrite: boolean
}

function NewPageLink({ source, space, canWrite }: PagesProps) {
  const words = (
    <>
      <Plus size={15} aria-hidden />
      New page
    </>
  )
  const look = buttonClass({ look: 'primary' })
  return canWrite ? (
    <Link to={source.hrefs.add(space.id)} className={look}>
      {words}
    </Link>
  ) : (
    <span data-disabled title="The server cannot be reached" className={look}>
      {words}
    </span>
  )
}

function Pages({ source, space, canWrite }: PagesProps) {
  const { data, error, refetch } = useQuery(pagesQuery(source, space.id))
  const [typed, setTyped] = useState('')
  if (error && !data) return <ErrorState error={error} what="The pages" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows />
  if (data.length === 0)
    return (
      <State
        icon={FileText}
        title="No pages yet"
        action={space.can_write && <NewPageLink source={source} space={space} canWrite={canWrite} />}
      >
        {space.can_write ? 'A page is a text in Markdown.' : 'What is written here shows up by itself.'}
      </State>
    )
  const shown = matching(data, typed)
  return (
    <div className="flex flex-col gap-3 p-4 md:p-5">
      {data.length > manyPages && <Finder value={typed} onChange={setTyped} />}
      {shown.length === 0 ? (
        <p className="px-1 text-ink-2">
          No title of {data.length} has “{typed}” in it.
        </p>
      ) : (
        <PageTable pages={shown} hrefOf={(page_id) => source.hrefs.page(space.id, page_id)} />
      )}
    </div>
  )
}

export const manyPages = 8

export const matching = (pages: readonly PageEntry[], typed: string): readonly PageEntry[] =>
  pages.filter(({ title }) => title.toLowerCase().includes(typed.trim().toLowerCase()))

interface FinderProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function Finder({ value, onChange }: FinderProps) {
  return (
    <input
      type="search"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      aria-label="Find a page by its title"
      placeholder="Find by title"
      className="h-[var(--ch-control)] w-full max-w-72 rounded-control border border-line-control bg-surface px-2.5 placeholder:text-ink-3"
    />
  )
}

interface TableProps {
  readonly pages: readonly PageEntry[]
  readonly hrefOf: (page_id: string) => string
}

function PageTable({ pages, hrefOf }: TableProps) {
  const now = useNow()
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full table-fixed">
        <thead>
          <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
            <th className="px-4 font-medium">Page</th>
            <th className="hidden w-48 px-4 font-medium md:table-cell">Author</th>
            <th className="hidden w-24 px-4 text-right font-medium md:table-cell">Version</th>
            <th className="w-28 px-4 text-right font-medium md:w-36">Changed</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {pages.map(({ id, title, author, version, updated_at }) => (
            <tr key={id} className="relative h-[var(--ch-row)] hover:bg-hover">
              <td className="px-4">
                <Link
                  to={hrefOf(id)}
                  title={title}
                  className="flex items-center gap-3 font-medium after:absolute after:inset-0"
                >
                  <FileText size={15} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
                  <span className="truncate" dir="auto">
                    {title}
                  </span>
                </Link>
              </td>
              <td className="hidden truncate px-4 text-ink-2 md:table-cell" title={author.name}>
                {author.name}
              </td>
              <td className="hidden px-4 text-right text-ink-2 md:table-cell">{version}</td>
              <td className="px-4 text-right text-ink-2" title={updated_at}>
                {whenTold(updated_at, now)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
