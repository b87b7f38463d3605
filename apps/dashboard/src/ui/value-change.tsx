import { ArrowRight } from 'lucide-react'

interface ChangeProps {
  readonly from: unknown
  readonly to: unknown
}

/** From what to what; long values unfold. */
export function ValueChange({ from, to }: ChangeProps) {
  if (isNothing(from) && isNothing(to)) return null
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5 font-mono text-ink-2 text-meta">
      {/* What was not there before has no value to tell. */}
      {(!isNothing(from) || typeof to !== 'object') && (
        <>
          <Value value={from} />
          <ArrowRight size={12} className="shrink-0 self-center" aria-label="to" role="img" />
        </>
      )}
      <Value value={to} />
    </span>
  )
}

const isNothing = (value: unknown): boolean => value === null || value === undefined
const longest = 80

/** A record of plain values reads better without its signs. */
function plainly(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${typeof each === 'string' ? each : JSON.stringify(each)}`)
    .join(', ')
}

function Value({ value }: { readonly value: unknown }) {
  const text = isNothing(value) ? '–' : plainly(value)
  if (text.length <= longest) return <span className="min-w-0 break-words">{text}</span>
  const whole = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer break-words rounded-tag">{text.slice(0, longest - 20)}…</summary>
      <pre className="mt-1 max-h-80 overflow-auto whitespace-pre-wrap break-all rounded-control bg-sunken p-2">
        {whole}
      </pre>
    </details>
  )
}
