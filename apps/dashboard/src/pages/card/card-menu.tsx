import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { Archive, ArchiveRestore, Ellipsis, Eye, EyeOff, Link2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { boardQuery } from '../../app/boards.ts'
import { cardHref } from '../../app/paths.ts'
import { useCanWrite } from '../../live/live.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { say } from '../../ui/toast.tsx'
import { cardsApi } from '../../work/board-cards.ts'
import { cardPartsApi, watchersQuery } from '../../work/card-data.ts'
import { useCardAction } from '../../work/card-writes.ts'
import { moveCard } from '../../work/move.ts'

/** What can be done with a card from anywhere; on a phone the only way to move it. */
interface CardMenuProps {
  readonly card: FullCard
  /** Between the link and the menu. */
  readonly children?: ReactNode
}

export function CardMenu({ card, children }: CardMenuProps) {
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const { data: board } = useQuery(boardQuery(card.board_id))
  const isArchived = card.archived_at !== null
  const archive = useCardAction(card, {
    what: `${card.ref} was not ${isArchived ? 'restored' : 'archived'}`,
    run: () => {
      const call = { params: { task_id: card.ref } }
      const boards = cardsApi.acting(newAction()).boards
      return isArchived ? boards.restoreCard(call) : boards.archiveCard({ ...call, body: {} })
    },
  })
  const watching = useQuery(watchersQuery(card.ref)).data?.watching ?? false
  const watch = useCardAction(card, {
    what: watching ? 'You still watch the card' : 'You do not watch the card',
    run: () => {
      const call = { params: { task_id: card.ref } }
      const boards = cardPartsApi.acting(newAction()).boards
      return watching ? boards.leaveCard(call) : boards.watchCard(call)
    },
  })
  const copy = async () => {
    await navigator.clipboard.writeText(`${location.origin}/dashboard${cardHref(card.ref)}`)
    say('The link is copied')
  }
  return (
    <>
      <IconButton label="Copy the link" onClick={() => void copy()}>
        <Link2 size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      {children}
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
        }
      >
        <MenuHeading>Move to</MenuHeading>
        {board?.columns.map((column) => (
          <MenuItem
            key={column.id}
            disabled={!canWrite || isArchived}
            isChosen={column.id === card.column.id}
            onSelect={() => column.id !== card.column.id && void moveCard(card, { column })}
          >
            {column.name}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem
          icon={watching ? EyeOff : Eye}
          disabled={!canWrite}
          note={watching ? undefined : 'Told in your inbox when it is blocked, wants a review or breaks'}
          onSelect={() => watch.mutate(undefined)}
        >
          {watching ? 'Stop watching' : 'Watch'}
        </MenuItem>
        {isArchived ? (
          <MenuItem icon={ArchiveRestore} disabled={!canWrite} onSelect={() => archive.mutate(undefined)}>
            Restore
          </MenuItem>
        ) : (
          <MenuItem icon={Archive} disabled={!canWrite} onSelect={() => setAsking(true)}>
            Archive
          </MenuItem>
        )}
      </Menu>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Archive ${card.ref}?`}
        consequences={[
          'It leaves the board and all lists. It stays readable, and can be restored.',
          ...(card.claim ? [`The claim of ${card.claim.holder.name} ends.`] : []),
        ]}
        action="Archive"
        busy={archive.isPending}
        onConfirm={() => archive.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </>
  )
}
