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
import { Table } from '../../ui/table.tsx'
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
      back={{ label: source.label, to: source.hrefs.spaces }}
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
  const now = useNow()
  const shown = matching(data ?? [], typed)
  return (
    <div className="flex flex-col gap-3 p-4 md:p-5">
      {data && data.length > manyPages && <Finder value={typed} onChange={setTyped} />}
      {data && data.length > 0 && shown.length === 0 ? (
        <p className="px-1 text-ink-2">
          No title of {data.length} has “{typed}” in it.
        </p>
      ) : (
        <Table
          read={{ what: 'The pages', error, refetch }}
          rows={data && shown}
          keyOf={({ id }) => id}
          isLinked
          empty={
            <State
              icon={FileText}
              title="No pages yet"
              action={space.can_write && <NewPageLink source={source} space={space} canWrite={canWrite} />}
            >
              {space.can_write ? 'A page is a text in Markdown.' : 'What is written here shows up by itself.'}
            </State>
          }
          columns={[
            {
              name: 'Page',
              cell: ({ id, title }) => (
                <Link
                  to={source.hrefs.page(space.id, id)}
                  title={title}
                  className="flex items-center gap-3 font-medium after:absolute after:inset-0"
                >
                  <FileText size={15} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
                  <span className="truncate" dir="auto">
                    {title}
                  </span>
                </Link>
              ),
            },
            {
              name: 'Author',
              width: 'w-48',
              from: 'md',
              look: 'truncate text-ink-2',
              title: ({ author }) => author.name,
              cell: ({ author }) => author.name,
            },
            {
              name: 'Version',
              width: 'w-24',
              from: 'md',
              atEnd: true,
              look: 'text-ink-2',
              cell: ({ version }) => version,
            },
            {
              name: 'Changed',
              width: 'w-28 md:w-36',
              atEnd: true,
              look: 'text-ink-2',
              title: ({ updated_at }) => updated_at,
              cell: ({ updated_at }) => whenTold(updated_at, now),
            },
          ]}
        />
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
