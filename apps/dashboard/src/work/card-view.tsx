import { Tabs } from '@base-ui/react/tabs'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { newAction } from '../api/own-fetch.ts'
import { boardQuery } from '../app/boards.ts'
import { useDraft } from '../app/drafts.ts'
import { useNow, whenTold } from '../app/times.ts'
import { useCanWrite } from '../live/live.tsx'
import { Button } from '../ui/button.tsx'
import { Pill } from '../ui/pill.tsx'
import { SkeletonRows } from '../ui/states.tsx'
import { CardStatusPill } from '../ui/status.tsx'
import { Activity } from './activity.tsx'
import { cardsApi } from './board-cards.ts'
import { Brief } from './brief.tsx'
import { commentsQuery, runsQuery } from './card-data.ts'
import { useCardAction } from './card-writes.ts'
import { Comments, Composer } from './comments.tsx'
import { Delivery } from './delivery.tsx'
import { LessonsNear, lessonsQuery } from './lessons-near.tsx'
import { OwnMentions } from './mention.tsx'
import { NowBlock } from './now-block.tsx'
import { Properties } from './properties.tsx'
import { Prose } from './prose.tsx'
import { Knew, Runs } from './runs.tsx'
import { EditableText } from './text-editor.tsx'
import { Title } from './title.tsx'
import { PriorityIcon, priorityWord } from './words.tsx'

type Tab = 'brief' | 'runs' | 'comments' | 'activity' | 'lessons' | 'more'

/** A card with everything that belongs to it: in the panel beside its board and as a page. */
export function CardView({ card }: { readonly card: FullCard }) {
  return (
    <OwnMentions value={true}>
      <OwnCard card={card} />
    </OwnMentions>
  )
}

function OwnCard({ card }: { readonly card: FullCard }) {
  const isOnline = useCanWrite()
  // An archived card is read; it can be commented on and restored.
  const canWrite = isOnline && card.archived_at === null
  const runs = useQuery(runsQuery(card.ref)).data
  const comments = useQuery(commentsQuery(card.ref)).data
  const lessons = useQuery(lessonsQuery(card)).data?.lessons
  const { data: board } = useQuery(boardQuery(card.board_id))
  const [tab, setTab] = useState<Tab>('brief')
  const [draft, setDraft] = useDraft(card.id)
  const field = useRef<HTMLTextAreaElement>(null)
  const all = runs?.items ?? []
  const last = all[0]
  const said = comments?.items ?? []
  const properties = <Properties card={card} board={board} runs={all} canWrite={canWrite} />
  return (
    <div className="flex min-h-0 w-full min-w-0 grow">
      <div className="flex min-h-0 min-w-0 grow flex-col">
        <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto *:shrink-0 px-4 pt-5 pb-6 md:px-6">
          <header className="flex flex-col gap-1.5">
            <Title card={card} canWrite={canWrite} />
            <StateRow card={card} />
            {card.source === 'guest' && (
              <p className="rounded-control border border-warn-edge bg-warn-bg px-3 py-1.5 text-meta text-warn">
                A guest has written some of this text. Agents get the card only after a member has taken it
                over.
              </p>
            )}
            {card.description !== '' && <Description card={card} canWrite={canWrite} />}
          </header>
          {!isOnline && (
            <p
              role="status"
              className="rounded-control border border-warn-edge bg-warn-bg px-3 py-1.5 text-meta text-warn"
            >
              The server cannot be reached. Reading goes on; what you type is kept in this tab and can be sent
              when it is back.
            </p>
          )}
          {card.archived_at !== null && <Archived card={card} canWrite={isOnline} />}
          <NowBlock
            card={card}
            runs={all}
            canWrite={canWrite}
            onMessage={(name) => {
              setDraft(draft === '' ? `@${name} ` : draft)
              field.current?.focus()
            }}
          />
          <div className="max-md:hidden">
            <Delivery card={card} />
          </div>
          <Tabs.Root
            value={tab}
            onValueChange={(value) => setTab(value as Tab)}
            className="flex flex-col gap-4"
          >
            <Tabs.List className="flex gap-5 overflow-x-auto border-line border-b [scrollbar-width:none]">
              <TabName value="brief">Brief</TabName>
              <TabName value="runs" count={runs?.total ?? card.runs_count}>
                Runs
              </TabName>
              <TabName value="comments" count={comments?.total ?? card.comments_count}>
                Comments
              </TabName>
              <TabName value="activity">Activity</TabName>
              {card.project_id !== null && (
                <TabName value="lessons" count={lessons?.length ?? 0}>
                  Lessons near
                </TabName>
              )}
              <TabName value="more" className="md:hidden">
                More
              </TabName>
            </Tabs.List>
            <Tabs.Panel value="brief">
              <Brief card={card} canWrite={canWrite}>
                {last ? (
                  <Knew run={last} comments={said} />
                ) : (
                  runs === undefined && card.runs_count > 0 && <SkeletonRows rows={3} />
                )}
              </Brief>
            </Tabs.Panel>
            <Tabs.Panel value="runs">
              <Runs runs={all} comments={said} />
            </Tabs.Panel>
            <Tabs.Panel value="comments">
              <Comments card={card} comments={said} total={comments?.total ?? 0} canWrite={isOnline} />
            </Tabs.Panel>
            <Tabs.Panel value="activity">
              <Activity card={card} />
            </Tabs.Panel>
            {card.project_id !== null && (
              <Tabs.Panel value="lessons">
                <LessonsNear card={card} />
              </Tabs.Panel>
            )}
            <Tabs.Panel value="more" className="flex flex-col gap-5 md:hidden">
              <Delivery card={card} />
              {properties}
            </Tabs.Panel>
          </Tabs.Root>
        </div>
        <div className="shrink-0 border-line border-t bg-surface px-4 py-3 md:border-0 md:px-6 md:pt-2 md:pb-5">
          <Composer
            card={card}
            canWrite={isOnline}
            field={field}
            text={draft}
            onText={setDraft}
            onSent={() => setTab('comments')}
          />
        </div>
      </div>
      <aside
        aria-label="Properties"
        className="hidden w-56 shrink-0 overflow-y-auto border-line border-l px-5 py-3.5 md:block"
      >
        {properties}
      </aside>
    </div>
  )
}

/** What the properties of a desk show at once; a phone has them below More. */
function StateRow({ card }: { readonly card: FullCard }) {
  return (
    <p className="flex flex-wrap items-center gap-1.5 md:hidden">
      <CardStatusPill status={card.status} word={card.column.name} />
      {card.priority !== 'none' && (
        <Pill tone={card.priority === 'urgent' ? 'bad' : 'idle'}>
          <PriorityIcon priority={card.priority} />
          {priorityWord(card.priority)}
        </Pill>
      )}
      {card.labels.map((label) => (
        <span
          key={label}
          title={label}
          dir="auto"
          className="max-w-full truncate rounded-tag border border-line px-1.5 text-meta"
        >
          {label}
        </span>
      ))}
    </p>
  )
}

interface TabNameProps {
  readonly value: Tab
  readonly count?: number
  readonly className?: string
  readonly children: ReactNode
}

function TabName({ value, count = 0, className = '', children }: TabNameProps) {
  return (
    <Tabs.Tab
      value={value}
      className={`flex h-9 shrink-0 items-center gap-2 border-transparent border-b-2 font-medium text-ink-2 hover:text-ink data-active:border-ink data-active:text-ink ${className}`}
    >
      {children}
      {count > 0 && <span className="font-normal text-ink-2">{count}</span>}
    </Tabs.Tab>
  )
}

interface PartProps {
  readonly card: FullCard
  readonly canWrite: boolean
}

function Description({ card, canWrite }: PartProps) {
  return (
    <div className="relative">
      <EditableText
        card={card}
        field="description"
        name="Description"
        canWrite={canWrite}
        heading={(edit) => edit && <span className="absolute top-0 right-0">{edit}</span>}
      >
        <div className="pr-8 text-ink-2">
          <Prose text={card.description} />
        </div>
      </EditableText>
    </div>
  )
}

function Archived({ card, canWrite }: PartProps) {
  const now = useNow()
  const restore = useCardAction(card, {
    what: `${card.ref} was not restored`,
    run: () => cardsApi.acting(newAction()).boards.restoreCard({ params: { task_id: card.ref } }),
  })
  return (
    <div className="flex items-center gap-3 rounded-card border border-line bg-canvas px-4 py-2.5 text-ink-2">
      <p className="grow">
        Archived {card.archived_at && whenTold(card.archived_at, now)}. It is on no board and in no list.
      </p>
      <Button
        size="s"
        busy={restore.isPending}
        disabled={!canWrite}
        onClick={() => restore.mutate(undefined)}
      >
        Restore
      </Button>
    </div>
  )
}
