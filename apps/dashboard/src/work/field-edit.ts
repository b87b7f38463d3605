import type { FullCard, longFields } from '@crewhall/contracts/boards/card-fields.ts'
import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useDraft } from '../app/drafts.ts'
import { say, sayFailed } from '../ui/toast.tsx'
import { isOutOfDate, readCardAgain, sendChange } from './card-writes.ts'

export type TextName = 'title' | 'description' | keyof typeof longFields

/** What is typed, and the text that it began with: what the person had seen. */
interface Edit {
  readonly text: string
  readonly base: string
}

function editOf(kept: string): Edit | undefined {
  if (kept === '') return undefined
  try {
    const { text, base } = JSON.parse(kept) as Partial<Edit>
    return typeof text === 'string' && typeof base === 'string' ? { text, base } : undefined
  } catch {
    return undefined
  }
}

/**
 * Editing of one text of a card. What is typed outlives the page; if somebody else changes the same text meanwhile, both are
 * there and the person chooses.
 */
export function useFieldEdit(card: FullCard, field: TextName) {
  const [kept, keep] = useDraft(`${card.id}.${field}`)
  const edit = useMemo(() => editOf(kept), [kept])
  const write = (next: Edit | undefined) => keep(next === undefined ? '' : JSON.stringify(next))
  const saving = useMutation({
    mutationFn: ({ text }: Edit) => sendChange(card, { [field]: text }),
    onSuccess: () => write(undefined),
    onError: (error) => {
      if (isOutOfDate(error)) say('Somebody else changed this text first', { note: 'Nothing is lost.' })
      else sayFailed('The text was not saved', error)
    },
    onSettled: () => readCardAgain(card),
  })
  const putAside = (what: string) => {
    const before = edit
    write(undefined)
    if (before && before.text !== before.base && before.text !== card[field])
      say(what, { offer: { label: 'Undo', onClick: () => write(before) } })
  }
  return {
    edit,
    isChanged: edit !== undefined && edit.text !== edit.base,
    /** The text on the card is no longer the one that the editing began with. */
    isConflict: edit !== undefined && edit.base !== card[field] && edit.text !== card[field],
    isSaving: saving.isPending,
    begin: () => write({ text: card[field], base: card[field] }),
    type: (text: string) => edit && write({ ...edit, text }),
    save: () => {
      if (!edit || saving.isPending) return
      if (edit.text === card[field]) write(undefined)
      else saving.mutate(edit)
    },
    cancel: () => putAside('What you typed is discarded'),
    takeTheirs: () => putAside('Your version is discarded'),
  }
}

export type FieldEdit = ReturnType<typeof useFieldEdit>
