import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useDraft } from '../app/drafts.ts'
import { buttonClass } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Attachments } from './attachments.tsx'
import { useChangeCard } from './card-writes.ts'
import { AddItem, Checklist, CheckRow } from './checklist.tsx'
import type { TextName } from './field-edit.ts'
import { Prose } from './prose.tsx'
import { SectionTitle } from './section.tsx'
import { EditableText } from './text-editor.tsx'

interface BriefProps {
  readonly card: FullCard
  readonly canWrite: boolean
}

const texts = [
  ['instructions', 'Instructions'],
  ['plan', 'Plan'],
  ['notes', 'Notes'],
  ['result', 'Result'],
  ['review', 'Review'],
  ['log', 'Log'],
] as const satisfies readonly (readonly [TextName, string])[]

/** What is to be done and when it is done. */
export function Brief({ card, canWrite, children }: BriefProps & { readonly children?: ReactNode }) {
  const [added, setAdded] = useState<TextName>()
  const missing = [
    ...(card.description === '' ? [['description', 'Description'] as const] : []),
    ...texts.filter(([field]) => card[field].trim() === ''),
  ]
  return (
    <div className="flex flex-col gap-6">
      <DoneWhen card={card} canWrite={canWrite} />
      {(card.description === '' ? [['description', 'Description'] as const, ...texts] : texts).map(
        ([field, name]) => (
          <Text
            key={field}
            card={card}
            canWrite={canWrite}
            field={field}
            name={name}
            isAdded={added === field}
            onShut={() => setAdded(undefined)}
          />
        ),
      )}
      {children}
      {canWrite && missing.length > 0 && (
        <div>
          <Menu
            trigger={
              <button type="button" className={buttonClass({ size: 's' })}>
                <Plus size={13} aria-hidden />
                Add a text
              </button>
            }
          >
            {missing.map(([field, name]) => (
              <MenuItem key={field} onSelect={() => setAdded(field)}>
                {name}
              </MenuItem>
            ))}
          </Menu>
        </div>
      )}
      <Attachments card={card} canWrite={canWrite} />
    </div>
  )
}

interface TextProps extends BriefProps {
  readonly field: TextName
  readonly name: string
  /** Chosen to be written for the first time. */
  readonly isAdded: boolean
  readonly onShut: () => void
}

function Text({ card, canWrite, field, name, isAdded, onShut }: TextProps) {
  const [draft] = useDraft(`${card.id}.${field}`)
  const text = card[field]
  if (text.trim() === '' && !isAdded && draft === '') return null
  return (
    <section className="flex flex-col gap-2">
      <EditableText
        card={card}
        field={field}
        name={name}
        canWrite={canWrite}
        isOpened={isAdded}
        onShut={onShut}
        heading={(action) => <SectionTitle title={name} action={action} />}
      >
        <Prose text={text} />
      </EditableText>
    </section>
  )
}

const box = /^(\s*[-*]\s+\[)([ xX])(\]\s+)(.*)$/s

/** Boxes in the acceptance criteria and items of the checklist, as one list: they count together. */
function DoneWhen({ card, canWrite }: BriefProps) {
  const change = useChangeCard(card)
  const lines = card.acceptance_criteria.split('\n')
  const rest = lines.filter((line) => !box.test(line)).join('\n')
  const toggleLine = (at: number) => {
    const acceptance_criteria = lines
      .map((line, index) =>
        index === at
          ? line.replace(
              box,
              (_, open, mark, close, text) => `${open}${mark === ' ' ? 'x' : ' '}${close}${text}`,
            )
          : line,
      )
      .join('\n')
    change.mutate({ acceptance_criteria })
  }
  const aside =
    card.checklist_total > 0 ? `${card.checklist_done} of ${card.checklist_total}` : 'nothing to check yet'
  return (
    <section className="flex flex-col gap-2">
      <EditableText
        card={card}
        field="acceptance_criteria"
        name="Acceptance criteria"
        canWrite={canWrite}
        heading={(action) => <SectionTitle title="Done when" aside={aside} action={action} />}
      >
        {rest.trim() !== '' && <Prose text={rest} />}
        {lines.some((line) => box.test(line)) && (
          <ul>
            {lines.map((line, at) => {
              const found = box.exec(line)
              return (
                found && (
                  <CheckRow
                    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
                    key={at}
                    isDone={found[2] !== ' '}
                    text={found[4] ?? ''}
                    disabled={!canWrite || change.isPending}
                    onToggle={() => toggleLine(at)}
                  />
                )
              )
            })}
          </ul>
        )}
      </EditableText>
      <div className="-mt-2">
        <Checklist card={card} canWrite={canWrite} />
        <AddItem card={card} canWrite={canWrite} />
      </div>
    </section>
  )
}
