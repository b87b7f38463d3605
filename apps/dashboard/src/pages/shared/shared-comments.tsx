import type { SharedCard } from '@crewhall/contracts/boards/shared-cards.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { useDraft, without } from '../../app/drafts.ts'
import { sharedApi } from '../../app/shared.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { KeyCap, modKey } from '../../ui/key-cap.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { sayFailed } from '../../ui/toast.tsx'
import { Prose } from '../../work/prose.tsx'
import { readBoardAgain, sharedCommentsQuery } from './shared-board-data.ts'

interface SharedCommentsProps {
  readonly card: SharedCard
  readonly canComment: boolean
}

/** What was said on a card, oldest first, and a field for those who may say something. */
export function SharedComments({ card, canComment }: SharedCommentsProps) {
  const { data, error, refetch } = useQuery(sharedCommentsQuery(card.board_id, card.ref))
  const now = useNow()
  return (
    <section className="flex flex-col gap-4 border-line border-t pt-4">
      <h3 className="font-semibold">
        Comments <span className="font-normal text-ink-2">{data?.total ?? card.comments_count}</span>
      </h3>
      {error && !data && <ErrorState error={error} what="The comments" onRetry={() => void refetch()} />}
      {data && data.total > data.items.length && (
        <p className="text-ink-2 text-meta">The newest of {data.total} comments.</p>
      )}
      {data?.total === 0 && <p className="text-ink-2">Nobody has said anything yet.</p>}
      <ul className="flex flex-col gap-4">
        {data?.items.map(({ id, parent_id, author, body, created_at, edited_at }) => (
          <li
            key={id}
            data-comment={id}
            className={parent_id === null ? 'flex gap-2.5' : 'flex gap-2.5 pl-8'}
          >
            <Avatar
              name={author.name}
              id={author.name}
              kind={author.kind === 'agent' ? 'agent' : 'person'}
              size={22}
            />
            <div className="min-w-0 grow">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{author.name}</span>
                <time dateTime={created_at} title={created_at} className="text-ink-3 text-meta">
                  {whenTold(created_at, now)}
                  {edited_at === null ? '' : ', edited'}
                </time>
              </p>
              <Prose text={body} />
            </div>
          </li>
        ))}
      </ul>
      {canComment && <Composer card={card} />}
    </section>
  )
}

function Composer({ card: { board_id, ref } }: { readonly card: SharedCard }) {
  const isOnline = useCanWrite()
  const [text, setText] = useDraft(`${board_id}.${ref}`)
  const [action, setAction] = useState(newAction)
  const send = useMutation({
    mutationFn: (body: string) =>
      sharedApi
        .acting(action)
        .boards.addSharedComment({ params: { board_id, task_id: ref }, body: { body } }),
    onSuccess: (_, body) => setText(without(body)),
    onError: (error) => sayFailed('The comment was not sent', error),
    // A key names one gesture: the next comment is another.
    onSettled: () => {
      setAction(newAction())
      return readBoardAgain(board_id)
    },
  })
  const submit = () => {
    if (text.trim() !== '' && !send.isPending && isOnline) send.mutate(text)
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
        rows={1}
        value={text}
        aria-label="Comment"
        dir="auto"
        placeholder={isOnline ? 'Comment' : 'Comments can be sent when the server is back'}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
        }}
        className="field-sizing-content max-h-40 min-h-7 grow resize-none bg-transparent py-1 text-read outline-none placeholder:text-ink-3"
      />
      <Button type="submit" busy={send.isPending} disabled={!isOnline || text.trim() === ''}>
        Send
        <span className="hidden md:inline-flex">
          <KeyCap>{modKey}↵</KeyCap>
        </span>
      </Button>
    </form>
  )
}
