import { type ReactNode, useMemo, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { type DiffLine, diffLines } from './line-diff.ts'

interface ComparisonProps {
  readonly first: string
  readonly second: string
  /** What the texts are, such as "Saved, version 5" and "Yours". */
  readonly names: readonly [string, string]
}

const around = 3

/** Two texts as one list of lines: those of both, those only of the first, those only of the second. */
export function Comparison({ first, second, names }: ComparisonProps) {
  const parts = useMemo(() => partsOf(diffLines(first, second)), [first, second])
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <p className="flex flex-wrap gap-x-5 gap-y-1 border-line border-b bg-sunken px-3 py-1.5 text-meta">
        <Legend look="bg-bad-bg text-bad" sign="−">
          Only in: {names[0]}
        </Legend>
        <Legend look="bg-ok-bg text-ok" sign="+">
          Only in: {names[1]}
        </Legend>
      </p>
      {parts.length === 0 ? (
        <p className="px-3 py-2 text-ink-2">Both texts are the same.</p>
      ) : (
        <ol className="py-1 font-mono text-meta leading-5" aria-label={`${names[0]} and ${names[1]}`}>
          {parts.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one comparison have no other name
            <Part key={at} part={part} names={names} />
          ))}
        </ol>
      )}
    </div>
  )
}

interface LegendProps {
  readonly look: string
  readonly sign: string
  readonly children: ReactNode
}

function Legend({ look, sign, children }: LegendProps) {
  return (
    <span className="flex items-center gap-2">
      <span
        className={classNames('inline-flex size-4 items-center justify-center rounded-tag', look)}
        aria-hidden
      >
        {sign}
      </span>
      {children}
    </span>
  )
}

interface DiffPart {
  readonly lines: readonly DiffLine[]
  /** Far from every difference. */
  readonly is_folded: boolean
}

/** Nothing, if there is no difference. */
function partsOf(lines: readonly DiffLine[]): readonly DiffPart[] {
  const isNear = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(1, Math.max(0, at - around), at + around + 1)
  if (!isNear.includes(1)) return []
  const parts: { lines: DiffLine[]; is_folded: boolean }[] = []
  for (const [at, line] of lines.entries()) {
    const is_folded = isNear[at] === 0
    const last = parts.at(-1)
    if (last?.is_folded === is_folded) last.lines.push(line)
    else parts.push({ lines: [line], is_folded })
  }
  return parts
}

function Part({ part, names }: { readonly part: DiffPart; readonly names: readonly [string, string] }) {
  const [isOpen, setOpen] = useState(false)
  const count = part.lines.length
  if (part.is_folded && !isOpen)
    return (
      <li className="border-line border-y bg-sunken first:border-t-0 last:border-b-0">
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="w-full px-3 py-1 text-left font-sans text-ink-2 hover:text-ink"
        >
          {count === 1 ? 'One line that is' : `${count} lines that are`} the same
        </button>
      </li>
    )
  // biome-ignore lint/suspicious/noArrayIndexKey: lines of one part have no other name
  return part.lines.map((line, at) => <Line key={at} line={line} names={names} />)
}

const looks = {
  same: ['text-ink-2', ' '],
  first: ['bg-bad-bg text-bad', '−'],
  second: ['bg-ok-bg text-ok', '+'],
} as const

function Line({ line, names }: { readonly line: DiffLine; readonly names: readonly [string, string] }) {
  const [look, sign] = looks[line.kind]
  return (
    <li className={classNames('flex gap-2 px-3', look)} data-line={line.kind}>
      <span className="w-3 shrink-0 select-none text-center" aria-hidden>
        {sign}
      </span>
      {line.kind !== 'same' && (
        <span className="sr-only">Only in {line.kind === 'first' ? names[0] : names[1]}: </span>
      )}
      <span className="min-w-0 whitespace-pre-wrap break-words" dir="auto">
        {line.text === '' ? ' ' : line.text}
      </span>
    </li>
  )
}
