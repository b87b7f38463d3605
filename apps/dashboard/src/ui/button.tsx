import { Button as Base } from '@base-ui/react/button'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

const looks = {
  primary: 'bg-ink text-on-ink hover:opacity-90 data-disabled:bg-sunken data-disabled:text-ink-off',
  secondary:
    'border border-line-strong bg-surface text-ink hover:bg-hover data-disabled:text-ink-off data-disabled:border-line',
  quiet: 'text-ink-2 hover:bg-hover hover:text-ink data-disabled:text-ink-off',
  danger: 'bg-bad text-surface hover:opacity-90 data-disabled:bg-sunken data-disabled:text-ink-off',
} as const
const sizes = {
  s: 'h-[var(--ch-control-s)] px-2 text-meta',
  m: 'h-[var(--ch-control)] px-2.5 text-ui',
  l: 'h-[var(--ch-control-l)] px-4 text-read',
} as const

interface Look {
  readonly look?: keyof typeof looks
  readonly size?: keyof typeof sizes
}

/** The classes of a button, for links that look like one. */
export const buttonClass = ({ look = 'secondary', size = 'm' }: Look): string =>
  classNames(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap select-none',
    'transition-[background-color,opacity] duration-120 data-disabled:pointer-events-none',
    looks[look],
    sizes[size],
  )

interface ButtonProps extends Omit<ComponentProps<typeof Base>, 'className'>, Look {
  readonly className?: string
  /** It was pressed and goes on: it takes no second press. */
  readonly busy?: boolean
}

export function Button({ look, size, busy = false, disabled, className, children, ...rest }: ButtonProps) {
  return (
    <Base
      {...rest}
      disabled={disabled || busy}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={classNames(buttonClass({ ...(look && { look }), ...(size && { size }) }), className)}
    >
      {children}
    </Base>
  )
}

interface IconButtonProps extends Omit<ComponentProps<typeof Base>, 'className' | 'children'> {
  /** What it does; there is no other text. */
  readonly label: string
  readonly className?: string
  readonly children: ReactNode
}

export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <Base
      {...rest}
      aria-label={label}
      title={label}
      className={classNames(
        'inline-flex size-[var(--ch-control)] shrink-0 items-center justify-center rounded-control text-ink-2 hover:bg-hover hover:text-ink',
        className,
      )}
    >
      {children}
    </Base>
  )
}
