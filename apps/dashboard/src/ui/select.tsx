import { ChevronDown } from 'lucide-react'
import { type ComponentProps, useId } from 'react'

interface SelectProps extends Omit<ComponentProps<'select'>, 'className' | 'id'> {
  readonly label: string
  readonly options: readonly { readonly value: string; readonly word: string }[]
}

/** One of a few; the list is the browser's own, which phones and screen readers know best. */
export function Select({ label, options, ...select }: SelectProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium text-ui">
        {label}
      </label>
      <span className="relative">
        <select
          {...select}
          id={id}
          className="h-[var(--ch-control-l)] w-full appearance-none rounded-control border border-line-control bg-surface pr-8 pl-3 text-ink text-read focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-live-edge focus-visible:outline-offset-0"
        >
          {options.map(({ value, word }) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <ChevronDown
          size={15}
          className="pointer-events-none absolute inset-y-0 right-2.5 my-auto text-ink-2"
          aria-hidden
        />
      </span>
    </div>
  )
}
