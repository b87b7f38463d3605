import { Menu as Base } from '@base-ui/react/menu'
import { Check, type LucideIcon } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface MenuProps {
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly children: ReactNode
}

export function Menu({ trigger, align = 'start', side = 'bottom', children }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} side={side} sideOffset={6} className="z-50 outline-none">
          <Base.Popup className="max-h-[var(--available-height)] min-w-52 max-w-80 overflow-y-auto rounded-card bg-raised p-1 shadow-menu outline-none transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface ItemProps {
  readonly icon?: LucideIcon
  readonly children: ReactNode
  /** A second, quieter line; of an item that cannot be chosen, the reason. */
  readonly note?: string | undefined
  readonly disabled?: boolean
  readonly isChosen?: boolean
  readonly keys?: ReactNode
  readonly onSelect: () => void
}

export function MenuItem({
  icon: Icon,
  children,
  note,
  disabled = false,
  isChosen,
  keys,
  onSelect,
}: ItemProps) {
  return (
    <Base.Item
      onClick={onSelect}
      disabled={disabled}
      className={classNames(
        'flex min-h-[var(--ch-control)] cursor-default items-center gap-2.5 rounded-control px-2.5 py-1 outline-none data-highlighted:bg-hover',
        disabled && 'text-ink-off',
      )}
    >
      {Icon && <Icon size={15} strokeWidth={1.75} className={disabled ? '' : 'text-ink-2'} aria-hidden />}
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{children}</span>
        {note !== undefined && <span className="block text-ink-3 text-meta">{note}</span>}
      </span>
      {isChosen && <Check size={15} aria-label="Chosen" />}
      {keys}
    </Base.Item>
  )
}

interface CheckProps {
  readonly checked: boolean
  readonly children: ReactNode
  /** Right, such as how many there are. */
  readonly note?: ReactNode
  readonly onChange: () => void
}

/** One of several that may be chosen together; the menu stays open. */
export function MenuCheck({ checked, children, note, onChange }: CheckProps) {
  return (
    <Base.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      closeOnClick={false}
      className="flex min-h-[var(--ch-control)] cursor-default items-center gap-2.5 rounded-control px-2.5 py-1 outline-none data-highlighted:bg-hover"
    >
      <span
        aria-hidden
        className={classNames(
          'flex size-3.5 shrink-0 items-center justify-center rounded-[3px] border',
          checked ? 'border-ink bg-ink text-on-ink' : 'border-line-control',
        )}
      >
        {checked && <Check size={11} strokeWidth={3} />}
      </span>
      <span className="min-w-0 grow truncate">{children}</span>
      {note !== undefined && <span className="text-ink-3 text-meta">{note}</span>}
    </Base.CheckboxItem>
  )
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <div className="px-2.5 pt-1.5 pb-1 text-ink-3 text-micro">{children}</div>
}
