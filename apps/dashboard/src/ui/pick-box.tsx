import { classNames } from './class-names.ts'

interface PickBoxProps {
  readonly label: string
  readonly checked: boolean
  /** In a list that has a column for it. */
  readonly isAlwaysShown?: boolean
  readonly className?: string
  /** With shift held, all from the last one. */
  readonly onChange: (isRange: boolean) => void
}

/** Chooses an entry of a list (its parent has `group`). On tiles it shows up under the pointer and while chosen. */
export function PickBox({ label, checked, isAlwaysShown = false, className, onChange }: PickBoxProps) {
  return (
    <label
      className={classNames(
        'flex size-6 items-center justify-center rounded-tag',
        !isAlwaysShown && 'bg-surface focus-within:opacity-100 group-hover:opacity-100',
        !checked && !isAlwaysShown && 'opacity-0 max-md:hidden',
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
