import type { SharedBoard } from '@crewhall/contracts/boards/shared.ts'
import type { SharedCard } from '@crewhall/contracts/boards/shared-cards.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronDown, Pencil, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { mayComment, mayWrite } from '../../app/shared.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog, Panel } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CardStatusIcon } from '../../ui/status.tsx'
import { InlineText } from '../../work/inline-text.tsx'
import { Prose } from '../../work/prose.tsx'
import { PriorityIcon, PullRequest, priorityWord, priorityWords } from '../../work/words.tsx'
import { sharedCardQuery, useChangeShared } from './shared-board-data.ts'
import { SharedComments } from './shared-comments.tsx'
import { TextField } from './text-field.tsx'

/** The card that the address names, beside its board. */
export function SharedCardPanel({ board }: { readonly board: SharedBoard }) {
  const { card: ref } = useSearch({ strict: false })
  const navigate = useNavigate()
  const close = () => void navigate({ to: '.', search: ({ card: _, ...rest }) => rest })
  return (
    <Panel
      open={ref !== undefined}
      onOpenChange={(open) => !open && close()}
      title={ref ?? 'Card'}
      header={
        <>
          <span className="font-mono text-meta">{ref}</span>
          <span className="hidden truncate text-ink-2 md:inline">· {board.name}</span>
          <span className="ml-auto" />
          <IconButton label="Close" onClick={close}>
            <X size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
        </>
      }
    >
      {ref !== undefined && <PanelCard key={ref} board={board} reference={ref} />}
    </Panel>
  )
}

function PanelCard({ board, reference }: { readonly board: SharedBoard; readonly reference: string }) {
  const { data, error, refetch } = useQuery(sharedCardQuery(board.id, reference))
  if (error && !data)
    return <ErrorState error={error} what={`The card ${reference}`} onRetry={() => void refetch()} />
  return data ? <CardOfBoard board={board} card={data} /> : <SkeletonRows />
}

interface CardProps {
  readonly board: SharedBoard
  readonly card: SharedCard
}

function CardOfBoard({ board, card }: CardProps) {
  const isOnline = useCanWrite()
  const isOpen = board.archived_at === null && card.archived_at === null
  const canWrite = isOpen && mayWrite(board.role)
  const [isEditing, setEditing] = useState(false)
  return (
    <div className="flex min-h-full flex-col md:flex-row">
      <div className="flex min-w-0 grow flex-col gap-5 px-4 pt-5 pb-6 md:px-6">
        <header className="flex flex-col gap-1.5">
          <div className="flex items-start gap-2">
            <h2 className="min-w-0 grow break-words font-semibold text-page" dir="auto">
              <InlineText text={card.title} />
            </h2>
            {canWrite && (
              <Button size="s" disabled={!isOnline} onClick={() => setEditing(true)}>
                <Pencil size={13} aria-hidden />
                Edit
              </Button>
            )}
          </div>
          {card.description !== '' && (
            <div className="text-ink-2">
              <Prose text={card.description} />
            </div>
          )}
        </header>
        {card.status === 'blocked' && card.blocked_reason !== null && (
          <p className="rounded-control bg-bad-bg px-3 py-2 text-bad">{card.blocked_reason}</p>
        )}
        <LongText title="Done when" text={card.acceptance_criteria} />
        <LongText title="Result" text={card.result} />
        <div className="md:hidden">
          <Facts board={board} card={card} canWrite={canWrite && isOnline} />
        </div>
        <SharedComments card={card} canComment={isOpen && mayComment(board.role)} />
      </div>
      <aside
        aria-label="Properties"
        className="hidden w-56 shrink-0 border-line border-l px-5 py-3.5 md:block"
      >
        <Facts board={board} card={card} canWrite={canWrite && isOnline} />
      </aside>
      {canWrite && (
        <Dialog open={isEditing} onOpenChange={setEditing} title={`Edit ${card.ref}`}>
          <EditForm card={card} onDone={() => setEditing(false)} />
        </Dialog>
      )}
    </div>
  )
}

function LongText({ title, text }: { readonly title: string; readonly text: string }) {
  if (text.trim() === '') return null
  return (
    <section>
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      <Prose text={text} />
    </section>
  )
}

function EditForm({ card, onDone }: { readonly card: SharedCard; readonly onDone: () => void }) {
  const change = useChangeShared(card)
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const values = new FormData(event.currentTarget)
        const [title, description] = ['title', 'description'].map((name) => String(values.get(name) ?? ''))
        change.mutate({ title, description }, { onSuccess: onDone })
      }}
    >
      <Field label="Title" name="title" required autoFocus defaultValue={card.title} />
      <TextField label="Description" name="description" defaultValue={card.description} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

function Facts({ board, card, canWrite }: CardProps & { readonly canWrite: boolean }) {
  const change = useChangeShared(card)
  const now = useNow()
  const status = (
    <span className="flex min-w-0 items-center gap-2">
      <CardStatusIcon status={card.status} label={false} />
      <span className="truncate">{card.column.name}</span>
    </span>
  )
  const priority = (
    <span className="flex items-center gap-2">
      <PriorityIcon priority={card.priority} />
      {priorityWord(card.priority)}
    </span>
  )
  return (
    <>
      <dl>
        <Fact name="Status">
          {canWrite ? (
            <Choice label="Move to" shown={status}>
              {board.columns.map(({ id, name }) => (
                <MenuItem
                  key={id}
                  isChosen={id === card.column.id}
                  onSelect={() => id !== card.column.id && change.mutate({ column: id })}
                >
                  {name}
                </MenuItem>
              ))}
            </Choice>
          ) : (
            status
          )}
        </Fact>
        <Fact name="Priority">
          {canWrite ? (
            <Choice label="Priority" shown={priority}>
              {priorityWords.map(({ value, word }) => (
                <MenuItem
                  key={value}
                  isChosen={value === card.priority}
                  onSelect={() => change.mutate({ priority: value as SharedCard['priority'] })}
                >
                  {word}
                </MenuItem>
              ))}
            </Choice>
          ) : (
            priority
          )}
        </Fact>
        <Fact name="Assignee">{card.assignee?.name ?? '–'}</Fact>
        <Fact name="Labels">{card.labels.length === 0 ? '–' : card.labels.join(', ')}</Fact>
        {card.due_at !== null && <Fact name="Due">{whenTold(card.due_at, now)}</Fact>}
        {card.pr_number !== null && (
          <Fact name="Delivery">
            <PullRequest number={card.pr_number} state={card.pr_state} />
          </Fact>
        )}
        {card.branch !== null && (
          <Fact name="Branch">
            <span className="break-all font-mono text-meta">{card.branch}</span>
          </Fact>
        )}
        <Fact name="Reporter">{card.reporter.name}</Fact>
      </dl>
      <p className="mt-3 border-line border-t pt-3 text-ink-3 text-meta">
        Changed {whenTold(card.updated_at, now)} by {card.updated_by.name}
      </p>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-7.5 items-center gap-2">
      <dt className="w-19 shrink-0 text-ink-2 text-meta">{name}</dt>
      <dd className="min-w-0 grow break-words">{children}</dd>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly shown: ReactNode
  readonly children: ReactNode
}

function Choice({ label, shown, children }: ChoiceProps) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="-ml-1.5 flex h-7 max-w-full items-center gap-1.5 rounded-control px-1.5 hover:bg-hover"
        >
          <span className="sr-only">{label}: </span>
          {shown}
          <ChevronDown size={13} className="shrink-0 text-ink-3" aria-hidden />
        </button>
      }
    >
      {children}
    </Menu>
  )
}
