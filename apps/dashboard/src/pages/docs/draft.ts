import { useState } from 'react'

/** A text that is not saved yet, and the version it was made from. */
export interface Draft {
  readonly title: string
  readonly body: string
  /** 0: a new page. */
  readonly version: number
}

const keyOf = (name: string) => `crewhall.draft.docs.${name}`

function stored(name: string): Draft | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') as Partial<Draft> | null
    const { title, body, version } = found ?? {}
    return typeof title === 'string' && typeof body === 'string' && typeof version === 'number'
      ? { title, body, version }
      : undefined
  } catch {
    return undefined
  }
}

/** What is typed is kept with the tab until it is saved or thrown away, whatever happens to the page or the connection. */
export function useDraftOf(name: string, saved: Draft) {
  const [kept] = useState(() => stored(name))
  const [draft, setDraft] = useState<Draft>(kept ?? saved)
  const change = (next: Draft) => {
    setDraft(next)
    try {
      sessionStorage.setItem(keyOf(name), JSON.stringify(next))
    } catch {
      // The store is full: the text is still in the field.
    }
  }
  const forget = () => sessionStorage.removeItem(keyOf(name))
  return { draft, change, forget, was_kept: kept !== undefined }
}
