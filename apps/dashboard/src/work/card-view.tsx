import { Tabs } from '@base-ui/react/tabs'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { boardQuery } from '../app/boards.ts'
import { useCanWrite } from '../live/live.tsx'
import { Activity } from './activity.tsx'
import { Brief } from './brief.tsx'
import { commentsQuery, relationsQuery, runsQuery, useChangeCard } from './card-data.ts'
import { Comments, Composer, useDraft } from './comments.tsx'
import { Delivery } from './delivery.tsx'
import { InlineText } from './inline-text.tsx'
import { NowBlock } from './now-block.tsx'
import { Properties } from './properties.tsx'
import { Prose } from './prose.tsx'
import { Knew, Runs } from './runs.tsx'

type Tab = 'brief' | 'runs' | 'comments' | 'activity' | 'more'

/** A card with everything that belongs to it: in the panel beside its board and as a page. */
export function CardView({ card }: { readonly card: FullCard }) {
  const canWrite = useCanWrite()
  const runs = useQuery(runsQuery(card.ref)).data
  const comments = useQuery(commentsQuery(card.ref)).data
  const { data: relations = [] } = useQuery(relationsQuery(card.ref))
  const { data: board } = useQuery(boardQuery(card.board_id))
  const [tab, setTab] = useState<Tab>('brief')
  const [draft, setDraft] = useDraft(card.ref)
  const field = useRef<HTMLTextAreaElement>(null)
  const all = runs?.items ?? []
  const last = all[0]
  const said = comments?.items ?? []
  const properties = (
    <Properties card={card} board={board} relations={relations} runs={all} canWrite={canWrite} />
  )
  return (
    <div className="flex min-h-0 w-full min-w-0 grow">
      <div className="flex min-h-0 min-w-0 grow flex-col">
        <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto *:shrink-0 px-4 pt-5 pb-6 md:px-6">
          <header className="flex flex-col gap-1.5">
            <Title card={card} canWrite={canWrite} />
            {card.source === 'guest' && (
              <p className="rounded-control border border-warn-edge bg-warn-bg px-3 py-1.5 text-meta text-warn">
                A guest has written some of this text. Agents get the card only after a member has taken it
                over.
              </p>
            )}
            {card.description !== '' && (
              <div className="text-ink-2">
                <Prose text={card.description} />
              </div>
            )}
          </header>
          <NowBlock
            card={card}
            runs={all}
            canWrite={canWrite}
            onMessage={(name) => {
              setDraft(draft === '' ? `@${name} ` : draft)
              field.current?.focus()
            }}
          />
          <Delivery card={card} />
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
              <TabName value="more" className="md:hidden">
                More
              </TabName>
            </Tabs.List>
            <Tabs.Panel value="brief" className="flex flex-col gap-6 outline-none">
              <Brief card={card} canWrite={canWrite} />
              {last && <Knew run={last} comments={said} />}
            </Tabs.Panel>
            <Tabs.Panel value="runs" className="outline-none">
              <Runs runs={all} comments={said} />
            </Tabs.Panel>
            <Tabs.Panel value="comments" className="outline-none">
              <Comments comments={said} total={comments?.total ?? 0} />
            </Tabs.Panel>
            <Tabs.Panel value="activity" className="outline-none">
              <Activity card={card} />
            </Tabs.Panel>
            <Tabs.Panel value="more" className="outline-none md:hidden">
              {properties}
            </Tabs.Panel>
          </Tabs.Root>
        </div>
        <div className="shrink-0 border-line border-t bg-surface px-4 py-3 md:border-0 md:px-6 md:pt-2 md:pb-5">
          <Composer
            card={card}
            canWrite={canWrite}
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

function Title({ card, canWrite }: { readonly card: FullCard; readonly canWrite: boolean }) {
  const [typed, setTyped] = useState<string>()
  const change = useChangeCard(card)
  const done = () => {
    const title = typed?.trim() ?? ''
    if (title !== '' && title !== card.title) change.mutate({ title })
    setTyped(undefined)
  }
  if (typed !== undefined)
    return (
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
        autoFocus
        rows={1}
        value={typed}
        aria-label="Title"
        onChange={(event) => setTyped(event.target.value.replaceAll('\n', ' '))}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === 'Enter') done()
          if (event.key === 'Escape') {
            event.stopPropagation()
            setTyped(undefined)
          }
        }}
        className="field-sizing-content w-full resize-none rounded-tag bg-transparent font-semibold text-page"
      />
    )
  return (
    <h2 className="break-words font-semibold text-page" dir="auto">
      {canWrite ? (
        <button
          type="button"
          className="rounded-tag text-left"
          title="Edit the title"
          onClick={() => setTyped(card.title)}
        >
          <InlineText text={card.title} />
        </button>
      ) : (
        <InlineText text={card.title} />
      )}
    </h2>
  )
}
