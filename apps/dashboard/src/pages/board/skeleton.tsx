import { useLate } from '../../ui/states.tsx'

const heights = [
  [84, 98, 84, 98],
  [112, 98],
  [98, 84],
  [84, 84, 98],
  [98, 84, 84, 98],
]

/** The board before its cards are there, in its own shape. */
export function SkeletonColumns() {
  const isLate = useLate()
  return (
    <div aria-busy className="flex min-h-0 grow flex-col">
      <span className="sr-only">Loading</span>
      <div className="flex h-11 shrink-0 items-center gap-2 px-5 max-md:hidden">
        {isLate &&
          ['w-16', 'w-28', 'w-18'].map((width) => (
            <span
              key={width}
              className={`h-[var(--ch-control)] animate-skeleton rounded-control bg-idle-bg ${width}`}
            />
          ))}
      </div>
      {isLate && (
        <div className="flex gap-2.5 overflow-hidden px-4 md:px-5">
          {heights.map((column, at) => (
            <div
              key={String(at)}
              className="flex min-w-56 grow basis-0 flex-col gap-2.5 max-md:not-first:hidden"
            >
              <div className="flex h-9 items-center">
                <span className="h-2.5 w-24 animate-skeleton rounded-tag bg-idle-bg" />
              </div>
              {column.map((height, row) => (
                <div
                  key={String(row)}
                  className="animate-skeleton rounded-card border border-line bg-surface"
                  style={{ height }}
                />
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
