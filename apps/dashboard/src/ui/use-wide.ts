import { useSyncExternalStore } from 'react'

const mediaHook = (query: string) => {
  const media = matchMedia(query)
  const subscribe = (watcher: () => void) => {
    media.addEventListener('change', watcher)
    return () => media.removeEventListener('change', watcher)
  }
  return (): boolean => useSyncExternalStore(subscribe, () => media.matches)
}

/** Whether there is room for a detail beside its list; else it covers it. */
export const useWide = mediaHook('(min-width: 1100px)')

/** Whether rows have two lines instead of columns. */
export const usePhone = mediaHook('(max-width: 767px)')
