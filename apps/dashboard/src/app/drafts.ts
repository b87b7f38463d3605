import { useState } from 'react'

const prefix = 'crewhall.draft.'

function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + key)
    else sessionStorage.setItem(prefix + key, text)
  } catch {
    // The storage is full or switched off: the text is in the page still.
  }
}

const kept = (key: string): string => sessionStorage.getItem(prefix + key) ?? ''

export type ChangeDraft = (next: string | ((typed: string) => string)) => void

/** What is typed is kept with the tab until it is sent, whatever happens to the connection or the page. */
export function useDraft(key: string): readonly [string, ChangeDraft] {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const change: ChangeDraft = (next) => {
    const text = typeof next === 'string' ? next : next(kept(key))
    keep(key, text)
    setDrafts((before) => ({ ...before, [key]: text }))
  }
  return [drafts[key] ?? kept(key), change]
}

/** Empties a field whose text has arrived, unless something else was typed meanwhile. */
export const without =
  (sent: string) =>
  (typed: string): string =>
    typed.trim() === sent.trim() ? '' : typed

/** Somebody signs out: whoever comes next finds nothing that was typed. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}
