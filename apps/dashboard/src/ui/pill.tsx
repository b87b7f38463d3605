import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  ok: 'bg-ok-bg text-ok',
  warn: 'bg-warn-bg text-warn',
  bad: 'bg-bad-bg text-bad',
  live: 'bg-live-bg text-live',
  review: 'bg-review-bg text-review',
  idle: 'bg-idle-bg text-idle',
} as const

interface PillProps {
  readonly tone: keyof typeof tones
  readonly icon?: LucideIcon
  readonly children: ReactNode
}

/** A state in a word or two, beside the name of what has it. */
export function Pill({ tone, icon: Icon, children }: PillProps) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 max-w-full shrink-0 items-center gap-1 whitespace-nowrap rounded-full px-2 font-medium text-meta',
        tones[tone],
      )}
    >
      {Icon && <Icon size={12} strokeWidth={2} aria-hidden />}
      {children}
    </span>
  )
}
