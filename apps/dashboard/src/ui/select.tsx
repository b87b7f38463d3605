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

/** In a row of a list, whose column says what it is; the label is for those who do not see the column. */
export function SmallSelect({
  label,
  options,
  width = 'w-26',
  ...select
}: Omit<SelectProps, 'width'> & { readonly width?: string }) {
  return (
    <span className={`relative inline-block ${width}`}>
      <select
        {...select}
        aria-label={label}
        className="h-[var(--ch-control)] w-full appearance-none rounded-control border border-line-strong bg-surface pr-7 pl-2.5 text-ink focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-live-edge focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-ink-off"
      >
        {options.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      <ChevronDown
        size={14}
        className="pointer-events-none absolute inset-y-0 right-2 my-auto text-ink-2"
        aria-hidden
      />
    </span>
  )
}
