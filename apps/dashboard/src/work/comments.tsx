import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Comment } from '@crewhall/contracts/boards/comments.ts'
import { ArrowUp, Pencil, Trash2 } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { newAction } from '../api/own-fetch.ts'
import { type ChangeDraft, useDraft, without } from '../app/drafts.ts'
import { useMe } from '../app/session.ts'
import { useNow, whenTold } from '../app/times.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Confirm } from '../ui/dialog.tsx'
import { KeyCap, modKey } from '../ui/key-cap.tsx'
import { cardPartsApi } from './card-data.ts'
import { useCardAction } from './card-writes.ts'
import { useMentions } from './mention.tsx'
import { Prose } from './prose.tsx'
import { actorName, Face } from './who.tsx'

interface CommentsProps {
  readonly card: FullCard
  readonly comments: readonly Comment[]
  readonly total: number
  readonly canWrite: boolean
}

/** Oldest first; replies below what they answer. Text of guests is framed and says so. */
export function Comments({ card, comments, total, canWrite }: CommentsProps) {
  const now = useNow()
  const [removed, setRemoved] = useState<Comment>()
  const remove = useCardAction(card, {
    what: 'The comment was not deleted',
    run: (id: string) =>
      cardPartsApi.acting(newAction()).boards.removeComment({ params: { comment_id: id } }),
  })
  if (comments.length === 0) return <p className="text-ink-2">Nobody has said anything yet.</p>
  const isKnown = new Set(comments.map(({ id }) => id))
  const roots = comments.filter(({ parent_id }) => parent_id === null || !isKnown.has(parent_id))
  const replies = Map.groupBy(comments, ({ parent_id }) => parent_id)
  const said = (comment: Comment) => (
    <Said
      key={comment.id}
      card={card}
      comment={comment}
      now={now}
      canWrite={canWrite}
      onRemove={() => setRemoved(comment)}
    />
  )
  const answers = removed ? (replies.get(removed.id)?.length ?? 0) : 0
  return (
    <>
      <ul className="flex flex-col gap-4">
        {total > comments.length && <li className="text-ink-2 text-meta">The newest of {total} comments.</li>}
        {roots.map((root) => (
          <li key={root.id} className="flex flex-col gap-3">
            {said(root)}
            {(replies.get(root.id) ?? []).map((reply) => (
              <div key={reply.id} className="pl-8">
                {said(reply)}
              </div>
            ))}
          </li>
        ))}
      </ul>
      <Confirm
        open={removed !== undefined}
        onOpenChange={(open) => !open && setRemoved(undefined)}
        title={`Delete the comment of ${removed ? actorName(removed.author) : ''}?`}
        consequences={[
          'It is deleted for everybody and cannot be restored.',
          ...(answers > 0 ? [`${answers === 1 ? 'One reply goes' : `${answers} replies go`} with it.`] : []),
        ]}
        action="Delete comment"
        is_final
        busy={remove.isPending}
        onConfirm={() => removed && remove.mutate(removed.id, { onSettled: () => setRemoved(undefined) })}
      />
    </>
  )
}

interface SaidProps {
  readonly card: FullCard
  readonly comment: Comment
  readonly now: number
  readonly canWrite: boolean
  readonly onRemove: () => void
}

function Said({ card, comment, now, canWrite, onRemove }: SaidProps) {
  const { author, body, created_at, edited_at } = comment
  const { person, role } = useMe()
  const [draft, setDraft] = useDraft(`comment.${comment.id}`)
  const [isEditing, setEditing] = useState(draft !== '')
  const isGuest = author.kind === 'guest'
  const isOwn = author.kind === 'member' && author.id === String(person.id)
  const mayRemove = isOwn || role === 'admin'
  const change = useCardAction(card, {
    what: 'The comment was not changed',
    run: (text: string) =>
      cardPartsApi
        .acting(newAction())
        .boards.changeComment({ params: { comment_id: comment.id }, body: { body: text } }),
  })
  const shut = () => {
    setDraft('')
    setEditing(false)
  }
  return (
    <article
      data-comment={comment.id}
      className={classNames(
        'group flex gap-2.5',
        isGuest && 'rounded-card border border-warn-edge bg-warn-bg/40 p-3',
      )}
    >
      <Face who={author} size={22} />
      <div className="min-w-0 grow">
        <div className="flex min-h-6 flex-wrap items-center gap-x-2">
          <span className="font-medium">{actorName(author)}</span>
          {isGuest && (
            <span className="rounded-tag border border-warn-edge px-1.5 text-micro text-warn">
              Guest, outside the workspace
            </span>
          )}
          <time dateTime={created_at} title={created_at} className="text-ink-3 text-meta">
            {whenTold(created_at, now)}
          </time>
          {edited_at !== null && (
            <time dateTime={edited_at} title={edited_at} className="text-ink-3 text-meta">
              edited {whenTold(edited_at, now)}
            </time>
          )}
          {canWrite && (isOwn || mayRemove) && !isEditing && (
            <span className="ml-auto flex focus-within:opacity-100 group-hover:opacity-100 md:opacity-0">
              {isOwn && (
                <IconButton
                  label="Edit the comment"
                  className="size-6!"
                  onClick={() => {
                    setDraft(body)
                    setEditing(true)
                  }}
                >
                  <Pencil size={13} strokeWidth={1.75} aria-hidden />
                </IconButton>
              )}
              {mayRemove && (
                <IconButton label="Delete the comment" className="size-6!" onClick={onRemove}>
                  <Trash2 size={13} strokeWidth={1.75} aria-hidden />
                </IconButton>
              )}
            </span>
          )}
        </div>
        {isEditing ? (
          <form
            className="flex flex-col gap-2 pt-1"
            onSubmit={(event) => {
              event.preventDefault()
              if (draft === body) shut()
              else if (canWrite && draft.trim() !== '') change.mutate(draft, { onSuccess: shut })
            }}
          >
            <textarea
              // biome-ignore lint/a11y/noAutofocus: it takes the place of the text that is edited
              autoFocus
              rows={2}
              value={draft}
              dir="auto"
              aria-label="Text of the comment"
              onChange={(event) => setDraft(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') {
                  event.stopPropagation()
                  if (draft === body) shut()
                }
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault()
                  event.currentTarget.form?.requestSubmit()
                }
              }}
              className="field-sizing-content max-h-60 w-full resize-none rounded-card border border-line-control bg-surface px-3 py-2 text-read"
            />
            <div className="flex justify-end gap-2">
              <Button size="s" disabled={change.isPending} onClick={shut}>
                Cancel
              </Button>
              <Button
                type="submit"
                size="s"
                look="primary"
                busy={change.isPending}
                disabled={!canWrite || draft.trim() === ''}
              >
                Save
              </Button>
            </div>
          </form>
        ) : (
          <Prose text={body} />
        )}
      </div>
    </article>
  )
}

interface ComposerProps {
  readonly card: FullCard
  readonly canWrite: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onText: ChangeDraft
  readonly onSent: () => void
}

export function Composer({ card, canWrite, field, text, onText, onSent }: ComposerProps) {
  const [action, setAction] = useState(newAction)
  const send = useCardAction(card, {
    what: 'The comment was not sent',
    run: async (body: string) => {
      await cardPartsApi.acting(action).boards.addComment({ params: { task_id: card.ref }, body: { body } })
      onText(without(body))
    },
  })
  const submit = () => {
    if (text.trim() === '' || send.isPending || !canWrite) return
    send.mutate(text, {
      onSuccess: () => {
        // A key names one gesture: the next comment is another.
        setAction(newAction())
        onSent()
      },
    })
  }
  const mentions = useMentions({ field, text, onText })
  return (
    <form
      className="relative flex items-end gap-2 rounded-card border border-line-control bg-surface p-1.5 pl-3 focus-within:border-focus"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {mentions.list}
      <textarea
        ref={field}
        rows={1}
        value={text}
        {...mentions.fieldProps}
        aria-label="Comment"
        placeholder={
          canWrite
            ? 'Comment, or write @name to tell somebody'
            : 'Comments can be sent when the server is back'
        }
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (mentions.onKey(event)) return
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
