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
      <Value value={from} />
      <ArrowRight size={12} className="shrink-0 self-center" aria-label="to" role="img" />
      <Value value={to} />
    </span>
  )
}

const isNothing = (value: unknown): boolean => value === null || value === undefined
const longest = 80

function Value({ value }: { readonly value: unknown }) {
  const text = isNothing(value) ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= longest) return <span className="min-w-0 break-all">{text}</span>
  const whole = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer break-all rounded-tag">{text.slice(0, longest - 20)}…</summary>
      <pre className="mt-1 max-h-80 overflow-auto whitespace-pre-wrap break-all rounded-control bg-sunken p-2">
        {whole}
      </pre>
    </details>
  )
}
