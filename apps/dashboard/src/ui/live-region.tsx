import { useSyncExternalStore } from 'react'

let said = ''
const watchers = new Set<() => void>()

/** Says something to those who do not see it happen: a card lifted, moved, dropped, or moved by somebody else. */
export function announce(text: string): void {
  // The same words twice are two events; a region speaks up only when its text changes.
  said = said === text ? `${text}\u00a0` : text
  for (const watcher of watchers) watcher()
}

export function LiveRegion() {
  const text = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => said,
  )
  return (
    <div aria-live="polite" role="status" className="sr-only" data-live-region>
      {text}
    </div>
  )
}
