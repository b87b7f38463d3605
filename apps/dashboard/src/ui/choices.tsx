import { Popover } from '@base-ui/react/popover'
import { Command } from 'cmdk'
import { Check, Plus } from 'lucide-react'
import { type ReactElement, type ReactNode, useState } from 'react'

export interface Choice {
  readonly value: string
  readonly label: string
  readonly note?: string | undefined
  /** Left of the label, such as a face. */
  readonly mark?: ReactNode
  readonly group?: string
  readonly isChosen?: boolean
}

interface ChoicesProps {
  /** What is chosen, such as "Assignee". */
  readonly label: string
  readonly choices: readonly Choice[]
  readonly onChoose: (value: string) => void
  /** Offers what was typed as a new one, where none is called so. */
  readonly onCreate?: ((text: string) => void) | undefined
  /** While there are none, and none can be made. */
  readonly none?: string
}

const rowClass =
  'flex min-h-[var(--ch-control)] cursor-default items-center gap-2.5 rounded-control px-2.5 py-1 data-[selected=true]:bg-hover'

/** By its name only: an id that happens to hold the letters would be chosen in place of somebody who is still being read. */
const isCalled = (_value: string, text: string, [name = ''] = [] as string[]): number =>
  name.toLowerCase().includes(text.trim().toLowerCase()) ? 1 : 0

/** A list to choose from by typing, by arrows or by pointer. */
export function Choices({
  label,
  choices,
  onChoose,
  onCreate,
  none = 'Nothing is called so.',
}: ChoicesProps) {
  const [text, setText] = useState('')
  const typed = text.trim()
  const groups = Map.groupBy(choices, ({ group = '' }) => group)
  const isNew = typed !== '' && !choices.some((each) => each.label.toLowerCase() === typed.toLowerCase())
  return (
    <Command label={label} loop filter={isCalled} className="flex min-h-0 flex-col">
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder={onCreate ? `${label}, find or create` : label}
        className="h-9 shrink-0 border-line border-b bg-transparent px-3 outline-none placeholder:text-ink-3"
      />
      <Command.List className="max-h-72 min-h-0 overflow-y-auto p-1">
        {!(onCreate && isNew) && (
          <Command.Empty className="px-2.5 py-3 text-ink-2 text-meta">{none}</Command.Empty>
        )}
        {[...groups].map(([group, all]) => (
          <Command.Group
            key={group}
            heading={group === '' ? undefined : group}
            className="[&>[cmdk-group-heading]]:px-2.5 [&>[cmdk-group-heading]]:pt-1.5 [&>[cmdk-group-heading]]:pb-1 [&>[cmdk-group-heading]]:text-ink-3 [&>[cmdk-group-heading]]:text-micro"
          >
            {all.map(({ value, label: word, note, mark, isChosen = false }) => (
              <Command.Item
                key={value}
                value={value}
                keywords={[word]}
                onSelect={() => {
                  onChoose(value)
                  setText('')
                }}
                className={rowClass}
              >
                {mark}
                <span className="min-w-0 grow truncate font-medium" dir="auto">
                  {word}
                </span>
                {note !== undefined && <span className="shrink-0 text-ink-3 text-meta">{note}</span>}
                {isChosen && <Check size={15} className="shrink-0" aria-label="Chosen" />}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
        {onCreate && isNew && (
          <Command.Item
            value={`create ${typed}`}
            forceMount
            onSelect={() => {
              onCreate(typed)
              setText('')
            }}
            className={rowClass}
          >
            <Plus size={15} className="shrink-0 text-ink-2" aria-hidden />
            <span className="min-w-0 truncate">Create “{typed}”</span>
          </Command.Item>
        )}
      </Command.List>
    </Command>
  )
}

interface PickerProps extends ChoicesProps {
  readonly trigger: ReactElement<Record<string, unknown>>
  /** Several may be chosen: it stays open. */
  readonly isMany?: boolean
}

/** Choices beside the button that opens them. */
export function Picker({ trigger, isMany = false, onChoose, ...choices }: PickerProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner align="start" sideOffset={6} className="z-50 outline-none">
          <Popover.Popup
            aria-label={choices.label}
            className="w-64 overflow-hidden rounded-card bg-raised shadow-menu outline-none transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            <Choices
              {...choices}
              onChoose={(value) => {
                if (!isMany) setOpen(false)
                onChoose(value)
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
