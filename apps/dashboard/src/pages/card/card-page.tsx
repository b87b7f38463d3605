import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { boardHref, paths } from '../../app/paths.ts'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { cardQuery } from '../../work/card-data.ts'
import { CardView } from '../../work/card-view.tsx'
import { CardMenu } from './card-menu.tsx'

/** A card without its board beside it. */
export function CardPage() {
  const { ref = '' } = useParams({ strict: false })
  const { data: card, error, refetch } = useQuery(cardQuery(ref))
  const crumbs = [
    { label: 'Boards', to: paths.boards },
    ...(card ? [{ label: card.board, to: boardHref(ref) }] : []),
  ]
  const back = crumbs[1] ?? crumbs[0]
  return (
    <Page title={ref} crumbs={crumbs} {...(back && { back })} actions={card && <CardMenu card={card} />}>
      {error && !card ? (
        <ErrorState error={error} what={`The card ${ref}`} onRetry={() => void refetch()} />
      ) : card ? (
        <div className="mx-auto flex min-h-0 w-full max-w-[1120px] grow bg-surface md:border-line md:border-x">
          <CardView key={card.id} card={card} />
        </div>
      ) : (
        <SkeletonRows />
      )}
      <LiveRegion />
    </Page>
  )
}
