import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface KeyCapProps {
  /** On a primary button. */
  readonly onInk?: boolean
  readonly children: ReactNode
}

/** A key of the keyboard. */
export function KeyCap({ onInk = false, children }: KeyCapProps) {
  return (
    <kbd
      className={classNames(
        'inline-flex h-5 min-w-5 items-center justify-center rounded-tag border px-1 font-sans text-micro',
        onInk ? 'border-on-ink/30 text-on-ink' : 'border-line-strong bg-sunken text-ink-2',
      )}
    >
      {children}
    </kbd>
  )
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Names of keys as this machine has them. */
export const modKey = isApple ? '⌘' : 'Ctrl'
