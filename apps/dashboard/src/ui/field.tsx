import { Field as Base } from '@base-ui/react/field'
import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

const controlClass = classNames(
  'w-full rounded-control border border-line-control bg-surface text-read text-ink placeholder:text-ink-3',
  'h-[var(--ch-control-l)] px-3 data-invalid:border-bad-mark',
  'focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-offset-0 focus-visible:outline-live-edge',
  'disabled:bg-sunken disabled:text-ink-off',
)

interface FieldProps extends Omit<ComponentProps<typeof Base.Control>, 'className' | 'render'> {
  readonly label: string
  readonly name: string
  /** One sentence below the field. */
  readonly hint?: ReactNode
  /** Why the server refused the value. */
  readonly error?: string | undefined
  /** Beside the label, such as a link. */
  readonly aside?: ReactNode
}

/** A labelled text field with its hint and its error, as all forms have it. */
export function Field({ label, name, hint, error, aside, type, ...control }: FieldProps) {
  const [isShown, setShown] = useState(false)
  const isPassword = type === 'password'
  const Icon = isShown ? EyeOff : Eye
  return (
    <Base.Root name={name} invalid={error !== undefined} className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between">
        <Base.Label className="font-medium text-ui">{label}</Base.Label>
        {aside}
      </div>
      <div className="relative">
        <Base.Control
          {...control}
          type={isPassword && isShown ? 'text' : type}
          className={classNames(controlClass, isPassword && 'pr-10')}
        />
        {isPassword && (
          <button
            type="button"
            onClick={() => setShown(!isShown)}
            aria-label={isShown ? 'Hide the password' : 'Show the password'}
            aria-pressed={isShown}
            className="absolute inset-y-0 right-0 flex w-10 items-center justify-center rounded-control text-ink-2 hover:text-ink"
          >
            <Icon size={15} strokeWidth={1.75} aria-hidden />
          </button>
        )}
      </div>
      {hint !== undefined && error === undefined && (
        <Base.Description className="text-ink-3 text-meta">{hint}</Base.Description>
      )}
      {error !== undefined && (
        <Base.Error match className="text-bad text-meta" role="alert">
          {error}
        </Base.Error>
      )}
    </Base.Root>
  )
}
