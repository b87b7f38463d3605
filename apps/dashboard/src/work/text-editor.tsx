import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useNow, whenTold } from '../app/times.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { KeyCap, modKey } from '../ui/key-cap.tsx'
import { type FieldEdit, type TextName, useFieldEdit } from './field-edit.ts'
import { Prose } from './prose.tsx'
import { actorName } from './who.tsx'

interface EditableTextProps {
  readonly card: FullCard
  readonly field: TextName
  /** Names the text: "Instructions". */
  readonly name: string
  readonly canWrite: boolean
  /** Above the text while it is shown; the button to edit stands in it. */
  readonly heading: (edit: ReactNode) => ReactNode
  /** Editing begins at once, without the button. */
  readonly isOpened?: boolean
  readonly onShut?: () => void
  readonly children: ReactNode
}

/** A text that turns into its editor. */
export function EditableText(props: EditableTextProps) {
  const { card, field, name, canWrite, heading, isOpened = false, onShut, children } = props
  const editing = useFieldEdit(card, field)
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = editing.edit !== undefined
  const wasOpen = useRef(isOpen)
  const [isBegun, setBegun] = useState(false)
  const latest = useRef(onShut)
  latest.current = onShut
  useEffect(() => {
    if (wasOpen.current && !isOpen) {
      button.current?.focus()
      latest.current?.()
    }
    wasOpen.current = isOpen
  }, [isOpen])
  const begin = () => {
    setBegun(true)
    // A text that was typed before is gone on with.
    if (!isOpen) editing.begin()
  }
  const begun = useRef(begin)
  begun.current = begin
  useEffect(() => {
    if (isOpened) begun.current()
  }, [isOpened])
  const edit = (
    <IconButton
      ref={button}
      label={`Edit ${name.toLowerCase()}`}
      disabled={!canWrite}
      className={classNames('size-6!', !canWrite && 'hidden')}
      onClick={begin}
    >
      <Pencil size={13} strokeWidth={1.75} aria-hidden />
    </IconButton>
  )
  if (!isOpen)
    return (
      <>
        {heading(edit)}
        {children}
      </>
    )
  return (
    <>
      {heading(null)}
      <TextEditor
        card={card}
        field={field}
        name={name}
        canWrite={canWrite}
        isBegun={isBegun}
        editing={editing}
      />
    </>
  )
}

interface TextEditorProps extends Pick<EditableTextProps, 'card' | 'field' | 'name' | 'canWrite'> {
  readonly editing: FieldEdit
  /** A person has just asked for it: it takes the focus. */
  readonly isBegun: boolean
}

function TextEditor({ card, field, name, canWrite, editing, isBegun }: TextEditorProps) {
  const [isPreview, setPreview] = useState(false)
  const { edit, isConflict, isSaving, isChanged } = editing
  const now = useNow()
  const id = useId()
  const text = edit?.text ?? ''
  return (
    <section aria-label={`Edit ${name.toLowerCase()}`} className="flex flex-col gap-2">
      {isConflict && (
        <p className="rounded-control border border-warn-edge bg-warn-bg px-3 py-1.5 text-meta text-warn">
          This text was changed while you were typing. Both versions are here; nothing is lost.
        </p>
      )}
      <div className={classNames('grid gap-3', isConflict && 'md:grid-cols-2')}>
        <div className="flex min-w-0 flex-col rounded-card border border-line-control bg-surface focus-within:border-focus">
          <div className="flex items-center gap-1 border-line border-b px-1.5 py-1">
            <Way isOn={!isPreview} onClick={() => setPreview(false)}>
              {isConflict ? 'Yours' : 'Write'}
            </Way>
            <Way isOn={isPreview} onClick={() => setPreview(true)}>
              Preview
            </Way>
            <span className="ml-auto pr-1.5 text-ink-3 text-micro">Markdown</span>
          </div>
          {isPreview ? (
            <div className="min-h-32 px-3 py-2">
              {text.trim() === '' ? <p className="text-ink-2">Nothing to show.</p> : <Prose text={text} />}
            </div>
          ) : (
            <textarea
              // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
              autoFocus={isBegun}
              id={id}
              rows={5}
              value={text}
              dir="auto"
              aria-label={name}
              onChange={(event) => editing.type(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canWrite) {
                  event.preventDefault()
                  editing.save()
                }
                // What is typed does not go with a key that closes things.
                if (event.key === 'Escape') {
                  event.stopPropagation()
                  if (!isChanged) editing.cancel()
                }
              }}
              className="field-sizing-content max-h-[60vh] min-h-32 w-full resize-y bg-transparent px-3 py-2 text-read outline-none"
            />
          )}
        </div>
        {isConflict && (
          <div className="flex min-w-0 flex-col rounded-card border border-line">
            <p className="border-line border-b px-3 py-2 text-ink-2 text-meta">
              On the card now, last changed by {actorName(card.updated_by)} {whenTold(card.updated_at, now)}
            </p>
            <textarea
              readOnly
              value={card[field]}
              dir="auto"
              aria-label="The text on the card now"
              className="field-sizing-content max-h-[60vh] min-h-32 w-full resize-y bg-transparent px-3 py-2 text-ink-2 text-read outline-none"
            />
          </div>
        )}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {!canWrite && (
          <p className="mr-auto text-meta text-warn">
            The server cannot be reached. What you type is kept in this tab.
          </p>
        )}
        {isConflict ? (
          <Button size="s" disabled={isSaving} onClick={editing.takeTheirs}>
            Take theirs
          </Button>
        ) : (
          <Button size="s" disabled={isSaving} onClick={editing.cancel}>
            Cancel
          </Button>
        )}
        <Button size="s" look="primary" busy={isSaving} disabled={!canWrite} onClick={editing.save}>
          {isConflict ? 'Save mine instead' : 'Save'}
          <span className="hidden opacity-80 md:inline-flex">
            <KeyCap>{modKey}↵</KeyCap>
          </span>
        </Button>
      </div>
    </section>
  )
}

interface WayProps {
  readonly isOn: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function Way({ isOn, onClick, children }: WayProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={classNames(
        'h-6 rounded-tag px-2 font-medium text-meta',
        isOn ? 'bg-selected text-ink' : 'text-ink-2 hover:text-ink',
      )}
    >
      {children}
    </button>
  )
}
