import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { ChecklistItem } from '@crewhall/contracts/boards/checklists.ts'
import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Check, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { newAction } from '../api/own-fetch.ts'
import { useDraft, without } from '../app/drafts.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { announce } from '../ui/live-region.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { cardPartsApi, checklistQuery } from './card-data.ts'
import { useCardAction } from './card-writes.ts'
import { InlineText } from './inline-text.tsx'

interface ChecklistProps {
  readonly card: FullCard
  readonly canWrite: boolean
}

interface ItemChange {
  readonly id: string
  readonly body: {
    readonly done?: boolean
    readonly text?: string
    readonly before_id?: string
    readonly after_id?: string
  }
}

/** Items that are checked one by one; they can be rewritten, moved and removed. */
export function Checklist({ card, canWrite }: ChecklistProps) {
  const { data: items = [] } = useQuery(checklistQuery(card.ref))
  const change = useCardAction(card, {
    what: 'The item was not changed',
    run: ({ id, body }: ItemChange) =>
      cardPartsApi.acting(newAction()).boards.changeChecklistItem({ params: { item_id: id }, body }),
  })
  const remove = useCardAction(card, {
    what: 'The item was not removed',
    run: (id: string) =>
      cardPartsApi.acting(newAction()).boards.removeChecklistItem({ params: { item_id: id } }),
  })
  const isBusy = !canWrite || change.isPending || remove.isPending
  const move = (at: number, by: -1 | 1) => {
    const [item, beside] = [items[at], items[at + by]]
    if (!item || !beside || isBusy) return
    announce(`“${item.text}” moved, ${at + by + 1} of ${items.length}`)
    change.mutate({ id: item.id, body: by < 0 ? { before_id: beside.id } : { after_id: beside.id } })
  }
  return (
    <ul>
      {items.map((item, at) => (
        <Item
          key={item.id}
          item={item}
          isBusy={isBusy}
          onChange={(body) => change.mutate({ id: item.id, body })}
          onMove={(by) => move(at, by)}
          onRemove={() => remove.mutate(item.id)}
          canGo={[at > 0, at < items.length - 1]}
        />
      ))}
    </ul>
  )
}

interface ItemProps {
  readonly item: ChecklistItem
  readonly isBusy: boolean
  readonly onChange: (body: ItemChange['body']) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
  /** Up, and down. */
  readonly canGo: readonly [boolean, boolean]
}

function Item({ item, isBusy, onChange, onMove, onRemove, canGo }: ItemProps) {
  const [typed, setTyped] = useState<string>()
  const done = () => {
    const text = typed?.trim() ?? ''
    if (text !== '' && text !== item.text) onChange({ text })
    setTyped(undefined)
  }
  if (typed !== undefined)
    return (
      <li className="py-0.5 pl-6.5">
        <input
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the text that was chosen
          autoFocus
          value={typed}
          aria-label="Text of the item"
          onChange={(event) => setTyped(event.target.value)}
          onBlur={done}
          onKeyDown={(event) => {
            if (event.key === 'Enter') done()
            if (event.key === 'Escape') {
              event.stopPropagation()
              setTyped(undefined)
            }
          }}
          className="h-7 w-full rounded-tag border border-line-control bg-surface px-1.5"
        />
      </li>
    )
  return (
    <CheckRow
      isDone={item.done}
      text={item.text}
      disabled={isBusy}
      note={item.done_by ? `Checked by ${item.done_by.name}` : undefined}
      onToggle={() => onChange({ done: !item.done })}
      onMove={onMove}
    >
      <Menu
        align="end"
        trigger={
          <IconButton
            label={`More for “${item.text}”`}
            disabled={isBusy}
            className="size-7! shrink-0 focus-visible:opacity-100 group-hover:opacity-100 aria-expanded:opacity-100 md:opacity-0"
          >
            <Ellipsis size={15} strokeWidth={1.75} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={Pencil} onSelect={() => setTyped(item.text)}>
          Rewrite
        </MenuItem>
        <MenuItem icon={ArrowUp} disabled={!canGo[0]} onSelect={() => onMove(-1)}>
          Move up
        </MenuItem>
        <MenuItem icon={ArrowDown} disabled={!canGo[1]} onSelect={() => onMove(1)}>
          Move down
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={onRemove}>
          Remove
        </MenuItem>
      </Menu>
    </CheckRow>
  )
}

interface CheckRowProps {
  readonly isDone: boolean
  readonly text: string
  readonly disabled: boolean
  readonly note?: string | undefined
  readonly onToggle: () => void
  /** With Alt and the arrows. */
  readonly onMove?: (by: -1 | 1) => void
  readonly children?: ReactNode
}

export function CheckRow({ isDone, text, disabled, note, onToggle, onMove, children }: CheckRowProps) {
  return (
    <li className="group flex items-start gap-2.5">
      <label
        title={note}
        className="flex min-h-7 min-w-0 grow cursor-pointer items-start gap-2.5 py-1 max-md:min-h-10 max-md:py-2"
      >
        <input
          type="checkbox"
          className="peer sr-only"
          checked={isDone}
          disabled={disabled}
          onChange={onToggle}
          onKeyDown={(event) => {
            if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
            event.preventDefault()
            onMove?.(event.key === 'ArrowUp' ? -1 : 1)
          }}
        />
        <span
          aria-hidden
          className={classNames(
            'mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-tag border peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-focus-visible:outline-offset-2',
            isDone ? 'border-ink bg-ink text-on-ink' : 'border-line-control',
          )}
        >
          {isDone && <Check size={12} strokeWidth={3} />}
        </span>
        <span className={classNames('min-w-0 break-words', isDone && 'text-ink-2')} dir="auto">
          <InlineText text={text} />
        </span>
      </label>
      {children}
    </li>
  )
}

export function AddItem({ card, canWrite }: ChecklistProps) {
  const [text, setText] = useDraft(`${card.id}.item`)
  const add = useCardAction(card, {
    what: 'The item was not added',
    scope: 'items',
    run: async (item: string) => {
      await cardPartsApi
        .acting(newAction())
        .boards.addChecklistItems({ params: { task_id: card.ref }, body: { checklist: [item] } })
      // The list may have shown it before, and the next one is being typed.
      setText(without(item))
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const item = text.trim()
        const isOnItsWay = add.isPending && add.variables === item
        if (item !== '' && canWrite && !isOnItsWay) add.mutate(item)
      }}
    >
      <input
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-label="New checklist item"
        placeholder={canWrite ? 'Add an item' : 'Items can be added when the server is back'}
        className="h-7 w-full rounded-tag bg-transparent pl-6.5 placeholder:text-ink-3"
      />
    </form>
  )
}
