import { classNames } from './class-names.ts'

interface PickBoxProps {
  readonly label: string
  readonly checked: boolean
  readonly className?: string
  /** With shift held, all from the last one. */
  readonly onChange: (isRange: boolean) => void
}

/** Chooses an entry of a list (its parent has `group`). It shows up under the pointer, by keyboard, and while chosen. */
export function PickBox({ label, checked, className, onChange }: PickBoxProps) {
  return (
    <label
      className={classNames(
        'flex size-6 items-center justify-center rounded-tag bg-surface focus-within:opacity-100 group-hover:opacity-100',
        !checked && 'opacity-0 max-md:hidden',
        className,
      )}
    >
      <input
        type="checkbox"
        aria-label={label}
        // The keys of the board reach every card; this is for the pointer.
        tabIndex={-1}
        checked={checked}
        onChange={({ nativeEvent }) => onChange('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
        className="size-4 accent-ink"
      />
    </label>
  )
}
