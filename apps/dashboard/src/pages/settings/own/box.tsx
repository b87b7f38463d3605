import type { ReactNode } from 'react'

interface BoxProps {
  readonly title: string
  readonly note?: ReactNode
  /** Right of the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** One subject of a page of settings: a heading, and a card with what belongs to it. */
export function Box({ title, note, action, children }: BoxProps) {
  return (
    <section aria-label={title} className="max-w-190">
      <div className="mb-2.5 flex items-end justify-between gap-4">
        <div className="min-w-0">
          <h2 className="font-semibold text-section">{title}</h2>
          {note !== undefined && <p className="text-ink-2">{note}</p>}
        </div>
        {action}
      </div>
      <div className="overflow-hidden rounded-card border border-line bg-surface">{children}</div>
    </section>
  )
}
