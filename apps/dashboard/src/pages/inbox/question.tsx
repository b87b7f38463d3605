import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { InboxEntry } from '@crewhall/contracts/inbox/inbox.ts'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { boardQuery } from '../../app/boards.ts'
import { useDraft, without } from '../../app/drafts.ts'
import { useCanWrite } from '../../live/live.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { KeyCap, modKey } from '../../ui/key-cap.tsx'
import { say } from '../../ui/toast.tsx'
import { cardPartsApi } from '../../work/card-data.ts'
import { useCardAction } from '../../work/card-writes.ts'
import { moveCard } from '../../work/move.ts'
import { Prose } from '../../work/prose.tsx'
import { asked } from './entry-words.ts'

interface QuestionProps {
  readonly entry: InboxEntry
  readonly card: FullCard
}

/** Why a card is blocked, and a field for the answer: it becomes a comment, and the card goes back to work. */
export function Question({ entry, card }: QuestionProps) {
  const canWrite = useCanWrite()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useDraft(card.id)
  const [goesOn, setGoesOn] = useState(true)
  const [action, setAction] = useState(newAction)
  const { data: board } = useQuery(boardQuery(card.board_id))
  const column = board?.columns.find(({ status }) => status === 'pending')
  const send = useCardAction(card, {
    what: 'The answer was not sent',
    run: async (body: string) => {
      await cardPartsApi.acting(action).boards.addComment({ params: { task_id: card.ref }, body: { body } })
      setText(without(body))
    },
  })
  const submit = () => {
    if (text.trim() === '' || send.isPending || !canWrite) return
    send.mutate(text, {
      onSuccess: () => {
        setAction(newAction())
        if (goesOn && column) void moveCard(card, { column })
        say(`${card.ref} is answered`, goesOn && column ? { note: `It is in ${column.name} again.` } : {})
      },
    })
  }
  const options = optionsOf(card.agent_context.options)
  const choose = (answer: string) => {
    setText(answer)
    field.current?.focus()
  }
  useKeys(Object.fromEntries(options.map(({ label }, at) => [String(at + 1), () => choose(label)])))
  const [first = '', ...more] = (card.blocked_reason ?? entry.reason ?? 'Blocked, without a reason.').split(
    '\n',
  )
  return (
    <section aria-label="Question" className="flex flex-col gap-3 rounded-card border border-line p-4 md:p-5">
      <h3 className="break-words font-semibold text-section" dir="auto">
        {asked(first, entry)}
      </h3>
      {more.length > 0 && (
        <div className="text-ink-2">
          <Prose text={more.join('\n')} />
        </div>
      )}
      {options.map(({ label, note }, at) => (
        <button
          key={label}
          type="button"
          onClick={() => choose(label)}
          className={classNames(
            'flex min-h-[var(--ch-control-l)] items-center gap-3 rounded-control border px-3 py-1.5 text-left hover:bg-hover',
            text === label ? 'border-ink' : 'border-line-strong',
          )}
        >
          <KeyCap>{at + 1}</KeyCap>
          <span className="font-medium" dir="auto">
            {label}
          </span>
          <span className="text-ink-2" dir="auto">
            {note}
          </span>
        </button>
      ))}
      <form
        className="flex flex-wrap items-end gap-2 rounded-control border border-line-control bg-surface p-1.5 pl-3 focus-within:border-focus"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label="Answer"
          placeholder={
            canWrite
              ? options.length > 0
                ? 'Or write an answer'
                : 'Write an answer'
              : 'Answers can be sent when the server is back'
          }
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            submit()
          }}
          className="field-sizing-content max-h-60 min-h-[var(--ch-control-s)] min-w-40 grow resize-none bg-transparent py-0.5 text-read outline-none placeholder:text-ink-3"
        />
        <Button type="submit" size="s" busy={send.isPending} disabled={!canWrite || text.trim() === ''}>
          Send
          <span className="hidden md:inline-flex">
            <KeyCap>{modKey}↵</KeyCap>
          </span>
        </Button>
      </form>
      {column && (
        <label className="flex items-center gap-2 self-start text-ink-2">
          <input
            type="checkbox"
            className="size-4 accent-ink"
            checked={goesOn}
            onChange={(event) => setGoesOn(event.target.checked)}
          />
          With the answer, move {card.ref} to {column.name}, so that it goes on
        </label>
      )}
    </section>
  )
}

interface Option {
  readonly label: string
  readonly note: string
}

const mostOptions = 9

/** What the asker offers as answers: texts, or objects with `label` and `note`. Anything else is left out. */
function optionsOf(found: unknown): readonly Option[] {
  if (!Array.isArray(found)) return []
  const options = found.flatMap((each: unknown): readonly Option[] => {
    if (typeof each === 'string') return [{ label: each, note: '' }]
    if (typeof each !== 'object' || each === null || !('label' in each) || typeof each.label !== 'string')
      return []
    return [{ label: each.label, note: 'note' in each && typeof each.note === 'string' ? each.note : '' }]
  })
  return [...new Map(options.map((option) => [option.label, option])).values()].slice(0, mostOptions)
}
