interface HeadProps {
  readonly title: string
  readonly note?: string
}

/** The heading of one list among several. */
export function SectionHead({ title, note }: HeadProps) {
  return (
    <div className="mb-2.5 flex flex-wrap items-baseline gap-x-2">
      <h2 className="font-semibold text-section">{title}</h2>
      {note !== undefined && <p className="text-ink-2 text-meta">{note}</p>}
    </div>
  )
}
