import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { Button } from '../ui/button.tsx'
import { useFieldEdit } from './field-edit.ts'
import { InlineText } from './inline-text.tsx'

/** The title; pressed, it can be typed over. */
export function Title({ card, canWrite }: { readonly card: FullCard; readonly canWrite: boolean }) {
  const { edit, isConflict, isSaving, begin, type, save, cancel, takeTheirs } = useFieldEdit(card, 'title')
  const done = () => {
    if (edit && edit.text.trim() === '') cancel()
    else if (canWrite && !isConflict) save()
  }
  if (edit)
    return (
      <div className="flex flex-col gap-2">
        <textarea
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
          autoFocus
          rows={1}
          value={edit.text}
          dir="auto"
          aria-label="Title"
          readOnly={isSaving}
          onChange={(event) => type(event.target.value.replaceAll('\n', ' '))}
          onBlur={done}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              done()
            }
            if (event.key === 'Escape') {
              event.stopPropagation()
              cancel()
            }
          }}
          className="field-sizing-content w-full resize-none rounded-tag bg-transparent font-semibold text-page"
        />
        {!canWrite && (
          <p className="text-meta text-warn">
            The server cannot be reached. What you type is kept in this tab.
          </p>
        )}
        {isConflict && (
          <div className="flex flex-wrap items-center gap-2 rounded-control border border-warn-edge bg-warn-bg px-3 py-1.5 text-meta text-warn">
            <p className="min-w-0 grow break-words" dir="auto">
              On the card now: “{card.title}”
            </p>
            <Button size="s" onClick={takeTheirs}>
              Take theirs
            </Button>
            <Button size="s" look="primary" busy={isSaving} disabled={!canWrite} onClick={save}>
              Save mine instead
            </Button>
          </div>
        )}
      </div>
    )
  return (
    <h2 className="break-words font-semibold text-page" dir="auto">
      {canWrite ? (
        <button
          type="button"
          className="max-w-full rounded-tag text-left"
          title="Edit the title"
          onClick={begin}
        >
          <InlineText text={card.title} />
        </button>
      ) : (
        <InlineText text={card.title} />
      )}
    </h2>
  )
}
