import { Link } from '@tanstack/react-router'
import { BookOpen, LayoutGrid, type LucideIcon, Terminal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toBoard } from '../../app/paths.ts'
import { useBrand } from '../../app/session.ts'
import { clockTime } from '../../app/times.ts'
import { type FirstStep, hideFirstSteps, useFirstSteps } from '../../shell/first-steps.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { NewBoard } from '../boards/new-board.tsx'
import { Step } from './step.tsx'

const texts: Readonly<Record<FirstStep, readonly [string, string]>> = {
  board: ['Make a board', 'It comes with the columns To do, In progress, Review and Done.'],
  card: ['Write a card', 'One thing to do, and what has to be true when it is done.'],
  desk: [
    'Order a desk',
    'A Linux machine where agents build. Any VPS with root will do; it takes one line and 90 seconds.',
  ],
  agent: ['Hire an agent', 'From the catalog, or one of your own with a token.'],
  move: ['Let it claim the card', 'Or move the card to In progress yourself: then work has begun.'],
}

/** Desks and agents are ordered there until the dashboard has their pages. */
const commands: Partial<Record<FirstStep, string>> = {
  desk: 'crewhall desk order --name oslo-1',
  agent: 'crewhall hire catalog',
}

/** The first minutes of a workspace: only the next step has a primary button. */
export function StartPage() {
  const { name, brand_id } = useBrand()
  const { steps, done, board, columns, hasMoved, isKnown, read } = useFirstSteps()
  const [isAdding, setAdding] = useState(false)
  const next = steps.find(({ isDone }) => !isDone)?.id
  const actionOf = (id: FirstStep): ReactNode => {
    const look = id === next ? 'primary' : 'secondary'
    if (id === 'board')
      return (
        <Button look={look} onClick={() => setAdding(true)}>
          Make a board
        </Button>
      )
    if (id === 'desk' || id === 'agent') return null
    const isEarly = !board || (id === 'move' && !steps[1]?.isDone)
    if (isEarly) return <span className="text-ink-2 text-meta">after {id === 'card' ? 1 : 2}</span>
    return (
      <Link {...toBoard(board.key)} className={buttonClass({ look })}>
        {id === 'card' ? 'Write a card' : 'Open the board'}
      </Link>
    )
  }
  if (!isKnown)
    return (
      <Page title="Start">
        {read.isError ? (
          <ErrorState error={read.error} what="The boards" onRetry={() => void read.refetch()} />
        ) : (
          <div className="mx-auto w-full max-w-180 px-4 py-8 md:py-11">
            <SkeletonRows />
          </div>
        )}
      </Page>
    )
  const doneText = (id: FirstStep): string | undefined =>
    id === 'board' && board && columns.length > 0
      ? `${board.name}, with ${columns.length} columns`
      : id === 'card' && board
        ? `${board.card_count} on ${board.name}`
        : undefined
  return (
    <Page
      title="Start"
      actions={
        <Button look="quiet" onClick={() => hideFirstSteps(brand_id)}>
          Hide this page
        </Button>
      }
    >
      <div className="mx-auto w-full max-w-180 px-4 py-8 md:py-11">
        <h2 className="font-semibold text-display">
          {hasMoved ? `${name} is at work.` : `${name} is ready. Now get the first card done.`}
        </h2>
        <p className="mt-2 mb-6 text-ink-2 text-section">
          Five steps, about ten minutes. Each ticks itself as soon as it is true, whoever does it.
        </p>
        <div className="overflow-hidden rounded-card border border-line bg-surface">
          <div className="h-0.75 bg-sunken">
            <div className="h-full bg-ok-mark" style={{ width: `${(done / steps.length) * 100}%` }} />
          </div>
          <ol className="divide-y divide-line">
            {steps.map(({ id, isDone }, at) => (
              <Step
                key={id}
                at={at + 1}
                isDone={isDone}
                isNext={id === next}
                title={texts[id][0]}
                text={(isDone && doneText(id)) || texts[id][1]}
                {...(commands[id] && !isDone ? { command: commands[id] } : {})}
              >
                {isDone && id === 'board' && board
                  ? clockTime(Date.parse(board.created_at))
                  : !isDone && actionOf(id)}
              </Step>
            ))}
          </ol>
        </div>
        <div className="mt-5 grid gap-3 md:grid-cols-3">
          <Tile
            icon={LayoutGrid}
            title="See all boards"
            text="Each has a key and its columns."
            href="/dashboard/boards"
          />
          <Tile
            icon={Terminal}
            title="Make a token"
            text="For the command line and for agents."
            href="/dashboard/settings/tokens"
          />
          <Tile icon={BookOpen} title="Read the API" text="One document, every route." href="/api/v1/docs/" />
        </div>
      </div>
      <NewBoard open={isAdding} onOpenChange={setAdding} />
    </Page>
  )
}

interface TileProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly href: string
}

function Tile({ icon: Icon, title, text, href }: TileProps) {
  return (
    <a href={href} className="rounded-card border border-line bg-surface p-4 hover:border-line-strong">
      <Icon size={18} strokeWidth={1.75} className="mb-3 text-ink-2" aria-hidden />
      <span className="block font-medium">{title}</span>
      <span className="block text-ink-2 text-meta">{text}</span>
    </a>
  )
}
