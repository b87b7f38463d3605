import { useSyncExternalStore } from 'react'

// Where the second pane appears.
const wide = matchMedia('(min-width: 1100px)')

/** Whether there is room for a detail beside its list; else it covers it. */
export const useWide = (): boolean =>
  useSyncExternalStore(
    (watcher) => {
      wide.addEventListener('change', watcher)
      return () => wide.removeEventListener('change', watcher)
    },
    () => wide.matches,
  )
