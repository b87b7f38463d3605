import { Switch as Base } from '@base-ui/react/switch'

interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (on: boolean) => void
}

export function Switch({ label, checked, disabled = false, onChange }: SwitchProps) {
  return (
    <Base.Root
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      className="relative flex h-5 w-9 shrink-0 items-center rounded-full bg-line-control p-0.5 transition-colors duration-120 data-checked:bg-ink data-disabled:opacity-40"
    >
      <Base.Thumb className="size-4 rounded-full bg-surface transition-transform duration-120 data-checked:translate-x-4" />
    </Base.Root>
  )
}
