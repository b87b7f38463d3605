import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Comment } from '@crewhall/contracts/boards/comments.ts'
import { ArrowUp } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { newAction } from '../api/own-fetch.ts'
import { useNow, whenTold } from '../app/times.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { KeyCap, modKey } from '../ui/key-cap.tsx'
import { cardPartsApi, useCardAction } from './card-data.ts'
import { Prose } from './prose.tsx'
import { actorName, Face } from './who.tsx'

/** Oldest first; replies below what they answer. Text of guests is framed and says so. */
export function Comments({
  comments,
  total,
}: {
  readonly comments: readonly Comment[]
  readonly total: number
}) {
  const now = useNow()
  if (comments.length === 0) return <p className="text-ink-2">Nobody has said anything yet.</p>
  const isKnown = new Set(comments.map(({ id }) => id))
  const roots = comments.filter(({ parent_id }) => parent_id === null || !isKnown.has(parent_id))
  const replies = Map.groupBy(comments, ({ parent_id }) => parent_id)
  return (
    <ul className="flex flex-col gap-4">
      {total > comments.length && <li className="text-ink-2 text-meta">The newest of {total} comments.</li>}
      {roots.map((root) => (
        <li key={root.id} className="flex flex-col gap-3">
          <Said comment={root} now={now} />
          {(replies.get(root.id) ?? []).map((reply) => (
            <div key={reply.id} className="pl-8">
              <Said comment={reply} now={now} />
            </div>
          ))}
        </li>
      ))}
    </ul>
  )
}

function Said({ comment, now }: { readonly comment: Comment; readonly now: number }) {
  const { author, body, created_at, edited_at } = comment
  const isGuest = author.kind === 'guest'
  return (
    <article
      data-comment={comment.id}
      className={classNames(
        'flex gap-2.5',
        isGuest && 'rounded-card border border-warn-edge bg-warn-bg/40 p-3',
      )}
    >
      <Face who={author} size={22} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{actorName(author)}</span>
          {isGuest && (
            <span className="rounded-tag border border-warn-edge px-1.5 text-micro text-warn">
              Guest, outside the workspace
            </span>
          )}
          <time dateTime={created_at} title={created_at} className="text-ink-3 text-meta">
            {whenTold(created_at, now)}
            {edited_at === null ? '' : ', edited'}
          </time>
        </p>
        <Prose text={body} />
      </div>
    </article>
  )
}

const draftOf = (ref: string) => `crewhall.draft.${ref}`

interface ComposerProps {
  readonly card: FullCard
  readonly canWrite: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onText: (text: string) => void
  readonly onSent: () => void
}

/** What is typed is kept with the tab until it is sent, whatever happens to the connection. */
export function useDraft(ref: string): readonly [string, (text: string) => void] {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const text = drafts[ref] ?? sessionStorage.getItem(draftOf(ref)) ?? ''
  const change = (next: string) => {
    if (next === '') sessionStorage.removeItem(draftOf(ref))
    else sessionStorage.setItem(draftOf(ref), next)
    setDrafts((before) => ({ ...before, [ref]: next }))
  }
  return [text, change]
}

export function Composer({ card, canWrite, field, text, onText, onSent }: ComposerProps) {
  const [action, setAction] = useState(newAction)
  const send = useCardAction(card, {
    what: 'The comment was not sent',
    run: (body: string) =>
      cardPartsApi.acting(action).boards.addComment({ params: { task_id: card.ref }, body: { body } }),
  })
  const submit = () => {
    if (text.trim() === '' || send.isPending || !canWrite) return
    send.mutate(text, {
      onSuccess: () => {
        onText('')
        // A key names one gesture: the next comment is another.
        setAction(newAction())
        onSent()
      },
    })
  }
  return (
    <form
      className="flex items-end gap-2 rounded-card border border-line-control bg-surface p-1.5 pl-3 focus-within:border-focus"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label="Comment"
        placeholder={
          canWrite
            ? 'Comment, or write @name to tell somebody'
            : 'Comments can be sent when the server is back'
        }
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          submit()
        }}
        className="field-sizing-content max-h-40 min-h-[var(--ch-control-s)] min-w-0 grow resize-none bg-transparent py-0.5 text-read outline-none placeholder:text-ink-3"
      />
      <Button type="submit" size="s" busy={send.isPending} disabled={!canWrite || text.trim() === ''}>
        <span className="hidden md:inline">Send</span>
        <ArrowUp size={14} className="md:hidden" aria-label="Send" />
        <span className="hidden md:inline-flex">
          <KeyCap>{modKey}↵</KeyCap>
        </span>
      </Button>
    </form>
  )
}
