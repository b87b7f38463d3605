import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Shield } from 'lucide-react'
import type { ReactNode } from 'react'
import { isGone, problemOf } from '../../api/problem.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, State } from '../../ui/states.tsx'
import { type DocsSource, pageQuery, spaceQuery } from './docs-data.ts'
import { PageEditor } from './page-editor.tsx'
import { SkeletonPage } from './page-view.tsx'

/** The editor of a new page, or of the one that the address names. */
export function EditView({ source }: { readonly source: DocsSource }) {
  const { space: space_id = '', page: page_id } = useParams({ strict: false })
  const space = useQuery(spaceQuery(source, space_id))
  const page = useQuery({ ...pageQuery(source, space_id, page_id ?? ''), enabled: page_id !== undefined })
  const frame = (children: ReactNode) => (
    <Page title="Edit" crumbs={[{ label: source.label, to: source.hrefs.spaces }]}>
      {children}
    </Page>
  )
  if (space.error && (!space.data || isGone(space.error)))
    return frame(<ErrorState error={space.error} what="The space" onRetry={() => void space.refetch()} />)
  const isMissing = page.error !== null && problemOf(page.error).kind === 'missing'
  if (page.error && !page.data)
    return frame(<ErrorState error={page.error} what="The page" onRetry={() => void page.refetch()} />)
  if (!space.data || (page_id !== undefined && !page.data)) return frame(<SkeletonPage />)
  if (!space.data.can_write)
    return frame(
      <State icon={Shield} title="You may read this, not write it">
        An admin of the workspace can make you an editor of {space.data.name}.
      </State>,
    )
  return (
    <PageEditor
      key={page_id ?? 'new'}
      source={source}
      space={space.data}
      page={isMissing ? undefined : page.data}
      page_id={page_id}
    />
  )
}
