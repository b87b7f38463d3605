import type { SharedListedCard } from '@crewhall/contracts/boards/shared-cards.ts'
import { ListChecks, MessageSquare, OctagonMinus } from 'lucide-react'
import { Avatar } from '../../ui/avatar.tsx'
import { InlineText } from '../../work/inline-text.tsx'
import { PriorityIcon, PullRequest, priorityWord, TaskTypeIcon } from '../../work/words.tsx'

/** A card as a guest sees it on its board: no cost, no claim, nothing that is meant for agents. */
export function SharedTile({ card }: { readonly card: SharedListedCard }) {
  const { priority = 'none', checklist_total = 0, comments_count = 0 } = card
  const hasFacts = card.pr_number !== null || checklist_total > 0 || comments_count > 0
  return (
    <div className="flex flex-col gap-1 px-2.5 py-2">
      <div className="flex h-5 items-center gap-1.5">
        {card.task_type && <TaskTypeIcon type={card.task_type} />}
        <span className="truncate font-mono text-ink-2 text-micro">{card.ref}</span>
        <span className="ml-auto flex items-center gap-1.5">
          {priority !== 'none' && (
            <>
              <PriorityIcon priority={priority} />
              <span className="sr-only">{priorityWord(priority)}</span>
            </>
          )}
          {card.assignee && (
            <Avatar
              name={card.assignee.name}
              id={card.assignee.name}
              kind={card.assignee.kind === 'agent' ? 'agent' : 'person'}
              size={20}
            />
          )}
        </span>
      </div>
      <p className="line-clamp-3 break-words font-medium leading-[18px]" dir="auto">
        <InlineText text={card.title} />
      </p>
      {card.status === 'blocked' && card.blocked_reason && (
        <p className="flex gap-1.5 pt-0.5 text-bad text-meta" dir="auto">
          <OctagonMinus size={13} strokeWidth={1.75} className="mt-px shrink-0" aria-hidden />
          <span className="line-clamp-2 break-words">{card.blocked_reason}</span>
        </p>
      )}
      {hasFacts && (
        <div className="flex min-h-5 items-center gap-2.5 text-ink-2 text-micro">
          {card.pr_number !== null && <PullRequest number={card.pr_number} state={card.pr_state} />}
          {checklist_total > 0 && (
            <span className="inline-flex items-center gap-1">
              <ListChecks size={13} strokeWidth={1.75} aria-hidden />
              {card.checklist_done}/{checklist_total}
              <span className="sr-only"> done</span>
            </span>
          )}
          {comments_count > 0 && (
            <span className="inline-flex items-center gap-1">
              <MessageSquare size={13} strokeWidth={1.75} aria-hidden />
              {comments_count}
              <span className="sr-only"> {comments_count === 1 ? 'comment' : 'comments'}</span>
            </span>
          )}
        </div>
      )}
    </div>
  )
}
