import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/copy-button.tsx'

interface StepProps {
  /** Counts from 1. */
  readonly at: number
  readonly isDone: boolean
  readonly isNext: boolean
  readonly title: string
  readonly text: string
  readonly command?: string
  /** What to do, or when it was done. */
  readonly children: ReactNode
}

export function Step({ at, isDone, isNext, title, text, command, children }: StepProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-5 py-4 md:flex-nowrap">
      <span
        aria-hidden
        className={classNames(
          'mt-1 flex size-6.5 shrink-0 items-center justify-center rounded-full font-medium',
          isDone ? 'bg-ok-bg text-ok' : isNext ? 'bg-ink text-on-ink' : 'bg-idle-bg text-idle',
        )}
      >
        {isDone ? <Check size={14} /> : at}
      </span>
      <div className="min-w-0 grow basis-0 max-md:basis-3/5">
        <h3 className={classNames('text-read', isDone ? 'text-ink-2' : 'font-semibold')}>
          {title}
          {isDone && <span className="sr-only">, done</span>}
        </h3>
        <p className="max-w-110 text-ink-2">{text}</p>
        {command && (
          <p className="mt-2">
            <CommandLine>{command}</CommandLine>
          </p>
        )}
      </div>
      <div className="shrink-0 text-ink-2 text-meta">{children}</div>
    </li>
  )
}
