import { type ReactElement, type ReactNode, useState } from 'react'
import { Menu } from '../ui/menu.tsx'

export function Property({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-7.5 items-center gap-2">
      <dt className="w-17.5 shrink-0 self-start py-1 text-ink-2">{name}</dt>
      <dd className="flex min-w-0 grow items-center">{children}</dd>
    </div>
  )
}

export function None() {
  return <span className="text-ink-2">–</span>
}

interface ShownProps {
  /** What is changed, for those who do not see where the button stands. */
  readonly label: string
  readonly onClick?: () => void
  readonly children: ReactNode
}

/** A value that can be pressed to change it. */
export function PropertyButton({
  label,
  children,
  ...trigger
}: ShownProps): ReactElement<Record<string, unknown>> {
  return (
    <button
      type="button"
      {...trigger}
      className="-ml-1.5 flex min-h-6.5 min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded-tag px-1.5 text-left hover:bg-hover"
    >
      {children}
      <span className="sr-only">, change {label}</span>
    </button>
  )
}

interface ChooseProps {
  readonly canWrite: boolean
  readonly label: string
  readonly shown: ReactNode
  readonly children: ReactNode
}

/** One of a few. */
export function Choose({ canWrite, label, shown, children }: ChooseProps) {
  if (!canWrite) return <span className="flex min-w-0 items-center gap-2">{shown}</span>
  return <Menu trigger={<PropertyButton label={label}>{shown}</PropertyButton>}>{children}</Menu>
}

interface ValueProps {
  readonly label: string
  readonly canWrite: boolean
  readonly type: 'date' | 'number'
  /** As the field has it. */
  readonly value: string
  readonly shown: ReactNode
  readonly onChange: (value: string) => void
}

/** A value that is typed in its place. */
export function TypedValue({ label, canWrite, type, value, shown, onChange }: ValueProps) {
  const [typed, setTyped] = useState<string>()
  const done = () => {
    if (typed !== undefined && typed !== value) onChange(typed)
    setTyped(undefined)
  }
  if (!canWrite && typed === undefined) return shown
  if (typed === undefined)
    return (
      <PropertyButton label={label} onClick={() => setTyped(value)}>
        {shown}
      </PropertyButton>
    )
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
      autoFocus
      type={type}
      step="any"
      min={type === 'number' ? 0 : undefined}
      value={typed}
      aria-label={label}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done()
        if (event.key === 'Escape') {
          event.stopPropagation()
          setTyped(undefined)
        }
      }}
      className="h-6.5 w-full rounded-tag border border-line-control bg-surface px-1.5"
    />
  )
}
