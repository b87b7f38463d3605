import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowDown, ArrowLeft, ArrowUp, Maximize2, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { toCardPage } from '../../app/paths.ts'
import { IconButton } from '../../ui/button.tsx'
import { Panel } from '../../ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { cardQuery } from '../../work/card-data.ts'
import { CardView } from '../../work/card-view.tsx'
import { CardMenu } from './card-menu.tsx'

interface CardPanelProps {
  /** References in the order of the list beside it. */
  readonly order: readonly string[]
  /** Where the focus goes when it closes. */
  readonly onClosed: (ref: string) => void
}

/** The card that the address names, beside its board. The way back closes it. */
export function CardPanel({ order, onClosed }: CardPanelProps) {
  const { card: ref } = useSearch({ strict: false })
  const navigate = useNavigate()
  const close = () => {
    if (ref !== undefined) onClosed(ref)
    void navigate({ to: '.', search: ({ card: _, ...rest }) => rest })
  }
  const at = ref === undefined ? -1 : order.indexOf(ref)
  const step = (by: number) => {
    const card = order[at + by]
    if (at >= 0 && card) void navigate({ to: '.', replace: true, search: (before) => ({ ...before, card }) })
  }
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    const isField = target instanceof Element && target.closest('input, textarea, [role=menu]') !== null
    if (!isField && (key === '[' || key === ']')) step(key === '[' ? -1 : 1)
  }
  return (
    <Panel
      open={ref !== undefined}
      onOpenChange={(open) => !open && close()}
      title={ref ?? 'Card'}
      header={
        <>
          <IconButton label="Back to the board" className="-ml-1.5 md:hidden!" onClick={close}>
            <ArrowLeft size={18} strokeWidth={1.75} aria-hidden />
          </IconButton>
          <PanelHead reference={ref ?? ''} />
          <span className="ml-auto hidden pr-1 text-ink-2 text-meta md:inline">
            {at >= 0 && `${at + 1} of ${order.length}`}
          </span>
          <IconButton
            label="Previous card"
            disabled={at <= 0}
            className="max-md:hidden!"
            onClick={() => step(-1)}
          >
            <ArrowUp size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
          <IconButton
            label="Next card"
            disabled={at < 0 || at === order.length - 1}
            className="max-md:hidden!"
            onClick={() => step(1)}
          >
            <ArrowDown size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
          <span className="ml-auto md:ml-2" />
          {ref !== undefined && <PanelMenu reference={ref} />}
          <IconButton label="Close" className="max-md:hidden!" onClick={close}>
            <X size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the panel, wherever in it the focus is */}
      <div onKeyDown={onKeyDown} className="flex h-full min-h-0">
        {ref !== undefined && <PanelCard reference={ref} />}
      </div>
    </Panel>
  )
}

function PanelHead({ reference }: { readonly reference: string }) {
  const { data } = useQuery({ ...cardQuery(reference), enabled: reference !== '' })
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="font-mono text-meta max-md:font-sans max-md:font-semibold max-md:text-section">
        {reference}
      </span>
      {data && <span className="hidden truncate text-ink-2 md:inline">·&ensp;{data.board}</span>}
    </span>
  )
}

function PanelMenu({ reference }: { readonly reference: string }) {
  const { data } = useQuery(cardQuery(reference))
  return (
    data && (
      <CardMenu card={data}>
        <Link
          {...toCardPage(reference)}
          aria-label="Open as a page"
          title="Open as a page"
          className="hidden size-[var(--ch-control)] items-center justify-center rounded-control text-ink-2 hover:bg-hover hover:text-ink md:inline-flex"
        >
          <Maximize2 size={15} strokeWidth={1.75} aria-hidden />
        </Link>
      </CardMenu>
    )
  )
}

function PanelCard({ reference }: { readonly reference: string }) {
  const { data, error, refetch } = useQuery(cardQuery(reference))
  if (error && !data)
    return <ErrorState error={error} what={`The card ${reference}`} onRetry={() => void refetch()} />
  if (!data)
    return (
      <div className="grow">
        <SkeletonRows />
      </div>
    )
  return <CardView key={data.id} card={data} />
}
