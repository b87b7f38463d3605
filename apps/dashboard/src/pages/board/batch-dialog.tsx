import type { Board } from '@crewhall/contracts/boards/boards.ts'
import { cardStatuses, priorities, type StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as coderProfiles from '@crewhall/contracts/profiles/coder-profiles.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { OctagonMinus, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { type Choice, Choices } from '../../ui/choices.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { announce } from '../../ui/live-region.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CardStatusIcon, cardStatusWord } from '../../ui/status.tsx'
import { say, sayFailed } from '../../ui/toast.tsx'
import { cardsOf } from '../../work/figures.ts'
import { useLabelChoices } from '../../work/labels.tsx'
import { PriorityIcon, priorityWord } from '../../work/words.tsx'
import { useWorkers } from '../../work/workers.tsx'
import { type Deed, isRefused, type Outcome, readBatchAgain, refusalText, runBatch } from './batch.ts'

export type BatchKind = 'move' | 'assign' | 'profile' | 'tags' | 'status' | 'priority' | 'archive'

const titles: Readonly<Record<BatchKind, (what: string) => string>> = {
  move: (what) => `Move ${what} to`,
  assign: (what) => `Assign ${what} to`,
  profile: (what) => `Profile of ${what}`,
  tags: (what) => `Labels of ${what}`,
  status: (what) => `Status of ${what}`,
  priority: (what) => `Priority of ${what}`,
  archive: (what) => `Archive ${what}`,
}

interface BatchDialogProps {
  readonly board: Board
  /** Undefined while nothing is asked for. */
  readonly kind: BatchKind | undefined
  readonly cards: readonly StandardCard[]
  readonly onClose: () => void
  readonly onClosed: () => void
  readonly onDone: () => void
}

/** Asks what to do to the chosen cards, shows what would come of it, and does it. */
export function BatchDialog({ board, kind, cards, onClose, onClosed, onDone }: BatchDialogProps) {
  const what = cards.length === 1 ? (cards[0]?.ref ?? '') : cardsOf(cards.length)
  return (
    <Dialog
      open={kind !== undefined}
      onOpenChange={(open) => !open && onClose()}
      onClosed={onClosed}
      title={kind === undefined ? '' : titles[kind](what)}
    >
      {kind && cards.length > 0 && (
        <Steps
          // The cards as they were when it was asked for: what arrives meanwhile is refused by its version.
          key={kind}
          board={board}
          kind={kind}
          cards={cards}
          onClose={onClose}
          onDone={onDone}
        />
      )}
    </Dialog>
  )
}

type StepsProps = Omit<BatchDialogProps, 'kind' | 'onClosed'> & { readonly kind: BatchKind }

function Steps({ board, kind, cards: given, onClose, onDone }: StepsProps) {
  const [cards] = useState(given)
  const [deed, setDeed] = useState<Deed | undefined>(kind === 'archive' ? { op: 'archive' } : undefined)
  const run = useMutation({
    mutationFn: async (chosen: Deed) => {
      // It closes when the cards are read again: the next change of this person must not find their last one in its way.
      try {
        return await runBatch(chosen, cards, { is_dry_run: false })
      } finally {
        await readBatchAgain(cards)
      }
    },
    onSuccess: (outcomes) => {
      const done = outcomes.length - outcomes.filter(isRefused).length
      announce(`${cardsOf(done)} changed`)
      if (done < outcomes.length) return
      say(
        doneText(
          deed,
          outcomes.map(({ card }) => card),
        ),
      )
      onClose()
      onDone()
    },
    onError: (error) => sayFailed('The cards were not changed', error),
  })
  const choose = (chosen: Deed) => {
    setDeed(chosen)
    // One card is no crowd: it is done at once.
    if (cards.length === 1) run.mutate(chosen)
  }
  if (!deed) return <DeedChoice board={board} kind={kind} cards={cards} onChoose={choose} />
  if (run.data)
    return (
      <Preview outcomes={run.data} deed={deed} isDone>
        <Button
          look="primary"
          onClick={() => {
            onClose()
            onDone()
          }}
        >
          Close
        </Button>
      </Preview>
    )
  if (cards.length === 1 && deed.op !== 'archive') return <SkeletonRows rows={1} />
  return (
    <DryRun deed={deed} cards={cards}>
      {(possible) => (
        <>
          <Button onClick={() => (kind === 'archive' ? onClose() : setDeed(undefined))}>
            {kind === 'archive' ? 'Cancel' : 'Back'}
          </Button>
          <Button
            look="primary"
            busy={run.isPending}
            disabled={possible === 0}
            onClick={() => run.mutate(deed)}
          >
            {verbOf(deed)} {cardsOf(possible)}
          </Button>
        </>
      )}
    </DryRun>
  )
}

const verbOf = (deed: Deed): string =>
  deed.op === 'move' ? 'Move' : deed.op === 'archive' ? 'Archive' : 'Change'

function doneText(deed: Deed | undefined, cards: readonly StandardCard[]): string {
  const what = cards.length === 1 ? (cards[0]?.ref ?? '') : cardsOf(cards.length)
  if (deed?.op === 'move') return `${what} moved to ${deed.column.name}`
  return `${what} ${deed?.op === 'archive' ? 'archived' : 'changed'}`
}

interface DryRunProps {
  readonly deed: Deed
  readonly cards: readonly StandardCard[]
  /** Buttons, given how many would be changed. */
  readonly children: (possible: number) => ReactNode
}

/** What would come of it, told by the server, which writes nothing yet. */
function DryRun({ deed, cards, children }: DryRunProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['dry-run', deed, cards.map(({ id, version }) => `${id} ${version}`)],
    queryFn: () => runBatch(deed, cards, { is_dry_run: true }),
    staleTime: 0,
    gcTime: 0,
  })
  if (error && !data) return <ErrorState error={error} what="The preview" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={Math.min(3, cards.length)} />
  return (
    <Preview outcomes={data} deed={deed}>
      {children(data.filter((each) => !isRefused(each)).length)}
    </Preview>
  )
}

interface PreviewProps {
  readonly outcomes: readonly Outcome[]
  readonly deed: Deed
  readonly isDone?: boolean
  readonly children: ReactNode
}

function Preview({ outcomes, deed, isDone = false, children }: PreviewProps) {
  const refused = outcomes.filter(isRefused).length
  const over = outcomes.find(({ result }) => result.task?.over_limit)?.result.task?.column
  return (
    <div className="flex flex-col gap-3">
      <p className="text-ink-2">
        {isDone ? 'Done' : 'Nothing is changed yet'}.
        {refused > 0 && ` ${cardsOf(refused)} ${isDone ? 'stayed as they were' : 'would be refused'}.`}
      </p>
      {over !== undefined && (
        <p className="flex items-center gap-2 rounded-control bg-warn-bg px-3 py-1.5 text-meta text-warn">
          <TriangleAlert size={14} aria-hidden />
          {over} {isDone ? 'has' : 'would have'} more cards than its limit.
        </p>
      )}
      <ul className="max-h-80 divide-y divide-line overflow-y-auto border-line border-y">
        {outcomes.map((outcome) => (
          <li key={outcome.card.id} className="flex min-h-9 items-center gap-2.5 py-1">
            <span className="shrink-0 font-mono text-ink-2 text-micro">{outcome.card.ref}</span>
            <span className="min-w-0 grow truncate" dir="auto" title={outcome.card.title}>
              {outcome.card.title}
            </span>
            {isRefused(outcome) ? (
              <span className="flex max-w-56 items-center gap-1.5 text-bad text-meta">
                <OctagonMinus size={13} className="shrink-0" aria-hidden />
                {refusalText(outcome)}
              </span>
            ) : (
              <span className="shrink-0 text-ink-2 text-meta">{effectOf(deed, outcome)}</span>
            )}
          </li>
        ))}
      </ul>
      <div className="flex justify-end gap-2">{children}</div>
    </div>
  )
}

function effectOf(deed: Deed, { card, result }: Outcome): string {
  const to = result.task?.column ?? card.column.name
  if (deed.op === 'archive')
    return card.claim ? `the claim of ${card.claim.holder.name} ends` : 'leaves the board'
  if (to !== card.column.name) return `${card.column.name} → ${to}`
  if (deed.op === 'move') return `to the end of ${to}`
  return result.changed?.length === 0 ? 'is so already' : deed.word
}

interface DeedChoiceProps {
  readonly board: Board
  readonly kind: BatchKind
  readonly cards: readonly StandardCard[]
  readonly onChoose: (deed: Deed) => void
}

function DeedChoice(props: DeedChoiceProps) {
  if (props.kind === 'assign') return <AssignChoice {...props} />
  if (props.kind === 'tags') return <TagChoice {...props} />
  if (props.kind === 'profile') return <ProfileChoice {...props} />
  return <PlainChoice {...props} />
}

function PlainChoice({ board, kind, cards, onChoose }: DeedChoiceProps) {
  const every = (has: (card: StandardCard) => boolean) => cards.every(has)
  if (kind === 'move')
    return (
      <Choices
        label="Column"
        choices={board.columns.map(({ id, name, status, card_count, wip_limit }) => ({
          value: id,
          label: name,
          mark: <CardStatusIcon status={status} label={false} />,
          note: wip_limit === null ? String(card_count) : `${card_count} of ${wip_limit}`,
          isChosen: every(({ column }) => column.id === id),
        }))}
        onChoose={(id) => {
          const column = board.columns.find((each) => each.id === id)
          if (column) onChoose({ op: 'move', column })
        }}
      />
    )
  if (kind === 'status')
    return (
      <Choices
        label="Status"
        choices={cardStatuses.map((status) => ({
          value: status,
          label: cardStatusWord(status),
          mark: <CardStatusIcon status={status} label={false} />,
          isChosen: every((card) => card.status === status),
        }))}
        onChoose={(value) => {
          const status = cardStatuses.find((each) => each === value)
          if (status) onChoose({ op: 'change', change: () => ({ status }), word: cardStatusWord(status) })
        }}
      />
    )
  return (
    <Choices
      label="Priority"
      choices={priorities.toReversed().map((priority) => ({
        value: priority,
        label: priorityWord(priority),
        mark: <PriorityIcon priority={priority} />,
        isChosen: every((card) => card.priority === priority),
      }))}
      onChoose={(value) => {
        const priority = priorities.find((each) => each === value)
        if (priority) onChoose({ op: 'change', change: () => ({ priority }), word: priorityWord(priority) })
      }}
    />
  )
}

function AssignChoice({ cards, onChoose }: DeedChoiceProps) {
  const { choices, inputOf } = useWorkers(cards.length === 1 ? cards[0]?.assignee : undefined)
  return (
    <Choices
      label="Assignee"
      choices={choices}
      none="Nobody is called so."
      onChoose={(value) => {
        const assignee = inputOf(value)
        const word = choices.find((each) => each.value === value)?.label ?? 'Nobody'
        onChoose({ op: 'change', change: () => ({ assignee }), word: assignee ? `to ${word}` : 'to nobody' })
      }}
    />
  )
}

/** A label that all have is taken away, any other is added. */
function TagChoice({ board, cards, onChoose }: DeedChoiceProps) {
  const common = (cards[0]?.labels ?? []).filter((label) =>
    cards.every(({ labels }) => labels.includes(label)),
  )
  const choices = useLabelChoices(board.id, common)
  const toggle = (label: string) => {
    const isTaken = common.includes(label)
    onChoose({
      op: 'change',
      change: ({ labels }) => ({
        labels: isTaken ? labels.filter((each) => each !== label) : [...new Set([...labels, label])],
      }),
      word: isTaken ? `without ${label}` : `with ${label}`,
    })
  }
  return <Choices label="Labels" choices={choices} onChoose={toggle} onCreate={toggle} />
}

const api = apiOf({ profiles: routesIn(coderProfiles) })

function ProfileChoice({ cards, onChoose }: DeedChoiceProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['profiles'],
    queryFn: async ({ signal }) => (await api.reading(signal).profiles.listProfiles({ query: {} })).body,
  })
  if (error && !data) return <ErrorState error={error} what="The profiles" onRetry={() => void refetch()} />
  const isChosen = (key: string | undefined) =>
    cards.every(({ agent_context }) => agent_context.profile === key)
  const choices: readonly Choice[] = [
    { value: '', label: 'As recommended', isChosen: isChosen(undefined) },
    ...(data ?? []).map(({ key, model }) => ({
      value: key,
      label: key,
      note: model ?? undefined,
      isChosen: isChosen(key),
    })),
  ]
  return (
    <Choices
      label="Profile"
      choices={choices}
      onChoose={(key) =>
        onChoose({
          op: 'change',
          change: ({ agent_context: { profile: _, ...others } }) => ({
            agent_context: key === '' ? others : { ...others, profile: key },
          }),
          word: key === '' ? 'as recommended' : `with ${key}`,
        })
      }
    />
  )
}
