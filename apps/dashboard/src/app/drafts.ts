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

/** What is typed is kept with the tab until it is sent, whatever happens to the connection or the page. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const text = drafts[key] ?? sessionStorage.getItem(prefix + key) ?? ''
  const change = (next: string) => {
    keep(key, next)
    setDrafts((before) => ({ ...before, [key]: next }))
  }
  return [text, change]
}

/** Somebody signs out: whoever comes next finds nothing that was typed. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}
