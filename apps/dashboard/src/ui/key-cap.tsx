import type { ReactNode } from 'react'

/** A key of the keyboard. */
export function KeyCap({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-tag border border-line-strong bg-sunken px-1 font-sans text-ink-2 text-micro">
      {children}
    </kbd>
  )
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Names of keys as this machine has them. */
export const modKey = isApple ? '⌘' : 'Ctrl'
