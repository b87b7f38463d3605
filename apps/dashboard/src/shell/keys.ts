import { useEffect, useRef, useSyncExternalStore } from 'react'

// WCAG 2.1.4: keys without a modifier can be switched off.
const key = 'crewhall.single-keys'
const watchers = new Set<() => void>()
const areOn = () => localStorage.getItem(key) !== 'off'

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(key, on ? 'on' : 'off')
  for (const watcher of watchers) watcher()
}

export const useSingleKeys = (): boolean =>
  useSyncExternalStore((watcher) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }, areOn)

const sequenceMs = 500

/** By key: `?`, `c`, `g b` for one after the other, `mod+k` with Ctrl or Command, `shift+j` where shift matters. */
export type Keys = Readonly<Record<string, () => void>>

/** Handles keys of the whole page. Those without a modifier are off in fields, menus and dialogs. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    let first = ''
    let at = 0
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key
      if (event.altKey || (!isMod && (!areOn() || isTyping(event)))) return
      const chord = isMod
        ? `mod+${name}`
        : event.timeStamp - at < sequenceMs && first !== ''
          ? `${first} ${name}`
          : name
      // Only where it means something else; `?` needs the key too.
      const shifted = event.shiftKey && !isMod ? latest.current[`shift+${name}`] : undefined
      const run = shifted ?? latest.current[chord] ?? (isMod ? undefined : latest.current[name])
      first = isMod ? '' : name
      at = event.timeStamp
      if (!run || event.repeat) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role=menu], [role=dialog]') !== null
  )
}
