import type { ComponentProps, ReactNode } from 'react'

interface CheckRowProps extends Omit<ComponentProps<'input'>, 'className' | 'type' | 'children'> {
  readonly children: ReactNode
  /** One quieter line: what it means. */
  readonly note?: ReactNode
}

/** A box to tick in a form, with what it means. */
export function CheckRow({ children, note, ...box }: CheckRowProps) {
  return (
    <label className="flex min-h-[var(--ch-control-s)] items-start gap-2.5 py-0.5">
      <input {...box} type="checkbox" className="mt-1 size-3.5 shrink-0 accent-ink" />
      <span className="min-w-0">
        <span className="block">{children}</span>
        {note !== undefined && <span className="block text-ink-2 text-meta">{note}</span>}
      </span>
    </label>
  )
}
