import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

interface CopyProps {
  readonly text: string
  /** What is copied. */
  readonly label: string
  readonly className?: string
}

function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return { isCopied, Icon: isCopied ? Check : Copy, copy }
}

/** A button that says what it copies. */
export function CopyText({ text, children }: { readonly text: string; readonly children: string }) {
  const { isCopied, Icon, copy } = useCopy(text)
  return (
    <Button onClick={() => void copy()}>
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      {isCopied ? 'Copied' : children}
    </Button>
  )
}

export function CopyButton({ text, label, className }: CopyProps) {
  const { isCopied, Icon, copy } = useCopy(text)
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={isCopied ? 'Copied' : `Copy ${label}`}
      className={classNames(
        'inline-flex size-6 items-center justify-center rounded-tag text-ink-3 hover:bg-hover hover:text-ink',
        className,
      )}
    >
      <Icon size={13} aria-hidden />
    </button>
  )
}

/** A line for the terminal. */
export function CommandLine({ children }: { readonly children: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-2 rounded-control bg-sunken py-0.5 pr-1 pl-2.5 font-mono text-meta">
      <code className="truncate">{children}</code>
      <CopyButton text={children} label="the command" />
    </span>
  )
}
