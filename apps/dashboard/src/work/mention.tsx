import type { Worker } from '@crewhall/contracts/boards/card-fields.ts'
import { createContext, type KeyboardEvent, type RefObject, useContext, useId, useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { workerKey } from './filters.ts'
import { namesLike, typedMention, withMention } from './mention.rules.ts'
import { Face } from './who.tsx'
import { useWorkers } from './workers.tsx'

/** Whether a text is of this workspace. In what another one shares, the same number is somebody else. */
export const OwnMentions = createContext(false)

/** Somebody by name; whoever is not known here stays as it was written. */
export function Mention({ text }: { readonly text: string }) {
  return useContext(OwnMentions) ? <OwnMention text={text} /> : text
}

function OwnMention({ text }: { readonly text: string }) {
  const { workers } = useWorkers()
  const worker = workers.find((each) => `@${workerKey(each)}` === text)
  return worker ? <span className="font-medium text-link">@{worker.name}</span> : text
}

const mostShown = 6

interface MentionsProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onText: (text: string) => void
}

/** Names to choose from after an `@`: properties for the field, and a list to show above it. */
export function useMentions({ field, text, onText }: MentionsProps) {
  const { workers } = useWorkers()
  const [caret, setCaret] = useState<number>()
  const [place, setPlace] = useState(0)
  const listId = useId()
  const typed = caret === undefined ? undefined : typedMention(text, caret)
  const found = typed ? namesLike(workers, typed.letters).slice(0, mostShown) : []
  const active = Math.min(place, found.length - 1)
  const choose = (worker: Worker) => {
    const area = field.current
    if (!typed || !area) return
    const next = withMention(text, typed, workerKey(worker))
    onText(next.text)
    setCaret(undefined)
    area.focus()
    // After the text has changed, or the caret would go to its end.
    requestAnimationFrame(() => area.setSelectionRange(next.caret, next.caret))
  }
  /** True if the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    const worker = found[active]
    if (!worker || event.ctrlKey || event.metaKey) return false
    if (event.key === 'ArrowDown') setPlace((active + 1) % found.length)
    else if (event.key === 'ArrowUp') setPlace((active + found.length - 1) % found.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(worker)
    else if (event.key === 'Escape') setCaret(undefined)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const optionId = (at: number): string => `${listId}-${at}`
  return {
    onKey,
    fieldProps: {
      'aria-autocomplete': 'list',
      'aria-controls': found.length > 0 ? listId : undefined,
      'aria-activedescendant': found.length > 0 ? optionId(active) : undefined,
      onSelect: () => {
        setCaret(field.current?.selectionEnd)
        setPlace(0)
      },
      onBlur: () => setCaret(undefined),
    } as const,
    list: found.length > 0 && (
      <div
        id={listId}
        role="listbox"
        aria-label="People and agents"
        className="absolute bottom-full left-0 z-10 mb-1 w-64 max-w-full rounded-card bg-raised p-1 shadow-menu"
      >
        {found.map((worker, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active one
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field choose
          <div
            key={workerKey(worker)}
            id={optionId(at)}
            role="option"
            aria-selected={at === active}
            className={classNames(
              'flex h-[var(--ch-control)] cursor-default items-center gap-2 rounded-control px-2',
              at === active && 'bg-hover',
            )}
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={() => setPlace(at)}
            onClick={() => choose(worker)}
          >
            <Face who={worker} />
            <span className="truncate">{worker.name}</span>
          </div>
        ))}
      </div>
    ),
  }
}
