import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly aside?: ReactNode
  /** Right of the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A part of a card with its heading. */
export function Section({ title, aside, action, children }: SectionProps) {
  return (
    <section className="flex flex-col gap-2">
      <SectionTitle title={title} aside={aside} action={action} />
      {children}
    </section>
  )
}

export function SectionTitle({ title, aside, action }: Omit<SectionProps, 'children'>) {
  return (
    <div className="flex min-h-6 items-center gap-2">
      <h3 className="flex items-baseline gap-2 font-semibold">
        {title}
        {aside !== undefined && <span className="font-normal text-ink-2 text-meta">{aside}</span>}
      </h3>
      {action}
    </div>
  )
}
