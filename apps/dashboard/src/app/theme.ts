import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

// `public/theme.js` reads the same key before the first paint.
const key = 'crewhall.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const watchers = new Set<() => void>()

const chosen = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system'

function apply(): void {
  const theme = chosen()
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
  for (const watcher of watchers) watcher()
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  apply()
}

dark.addEventListener('change', apply)
// Another tab chose.
addEventListener('storage', (event) => {
  if (event.key === key) apply()
})

export const useTheme = (): Theme =>
  useSyncExternalStore((watcher) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }, chosen)
