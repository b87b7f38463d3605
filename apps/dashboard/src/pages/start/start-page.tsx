import { Link } from '@tanstack/react-router'
import { BookOpen, Check, LayoutGrid, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toBoard } from '../../app/paths.ts'
import { useBrand } from '../../app/session.ts'
import { hideFirstSteps, useFirstSteps } from '../../shell/first-steps.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { NewBoard } from '../boards/new-board.tsx'

const texts = {
  board: ['Make a board', 'It comes with the columns To do, In progress, Review and Done.'],
  card: ['Write a card', 'One thing to do, with what has to be true when it is done.'],
  move: ['Move it', 'Take the card to In progress, or let an agent claim it.'],
} as const

/** The first minutes of a workspace: only the next step has a primary button. */
export function StartPage() {
  const { name, brand_id } = useBrand()
  const { steps, done, board } = useFirstSteps()
  const [isAdding, setAdding] = useState(false)
  const next = steps.find(({ isDone }) => !isDone)?.id
  const actionOf = (id: keyof typeof texts): ReactNode => {
    const look = id === next ? 'primary' : 'secondary'
    if (id === 'board')
      return (
        <Button look={look} onClick={() => setAdding(true)}>
          Make a board
        </Button>
      )
    if (!board) return <span className="text-ink-2 text-meta">after {id === 'card' ? 1 : 2}</span>
    return (
      <Link {...toBoard(board.key)} className={buttonClass({ look })}>
        Open {board.name}
      </Link>
    )
  }
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
          {done === steps.length ? `${name} is at work.` : `${name} is ready. Now get the first card done.`}
        </h2>
        <p className="mt-2 mb-6 text-ink-2 text-section">
          Three steps. Each ticks itself as soon as it is true, whoever does it.
        </p>
        <div className="overflow-hidden rounded-card border border-line bg-surface">
          <div className="h-0.75 bg-sunken">
            <div className="h-full bg-ok-mark" style={{ width: `${(done / steps.length) * 100}%` }} />
          </div>
          <ol className="divide-y divide-line">
            {steps.map(({ id, isDone }, at) => (
              <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4 md:flex-nowrap">
                <StepMark at={at + 1} isDone={isDone} isNext={id === next} />
                <div className="min-w-0 grow basis-0 max-md:basis-3/5">
                  <h3 className={classNames('text-read', isDone ? 'text-ink-2' : 'font-semibold')}>
                    {texts[id][0]}
                    {isDone && <span className="sr-only">, done</span>}
                  </h3>
                  <p className="text-ink-2">{texts[id][1]}</p>
                </div>
                {!isDone && actionOf(id)}
              </li>
            ))}
          </ol>
        </div>
        <div className="mt-5 grid gap-3 md:grid-cols-2">
          <Tile
            icon={LayoutGrid}
            title="See all boards"
            text="Each has a key and its columns."
            href="/dashboard/boards"
          />
          <Tile icon={BookOpen} title="Read the API" text="One document, every route." href="/api/v1/docs/" />
        </div>
      </div>
      <NewBoard open={isAdding} onOpenChange={setAdding} />
    </Page>
  )
}

interface StepMarkProps {
  readonly at: number
  readonly isDone: boolean
  readonly isNext: boolean
}

function StepMark({ at, isDone, isNext }: StepMarkProps) {
  return (
    <span
      aria-hidden
      className={classNames(
        'flex size-6.5 shrink-0 items-center justify-center rounded-full font-medium',
        isDone ? 'bg-ok-bg text-ok' : isNext ? 'bg-ink text-on-ink' : 'bg-idle-bg text-idle',
      )}
    >
      {isDone ? <Check size={14} /> : at}
    </span>
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
