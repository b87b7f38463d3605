import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

const moved =
  'transition-[opacity,transform] duration-180 ease-out data-ending-style:opacity-0 data-starting-style:opacity-0'

interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons, the deed last. */
  readonly footer?: ReactNode
  readonly width?: 's' | 'm'
  /** It is gone, and the focus has gone back: now it can go elsewhere. */
  readonly onClosed?: () => void
  /** A click beside it does not close it: what it shows comes only once. */
  readonly staysOpen?: boolean
}

/** A question or a short form. What has a page of its own is no dialog. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  width = 's',
  onClosed,
  staysOpen = false,
}: DialogProps) {
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={staysOpen}
      onOpenChange={onOpenChange}
      onOpenChangeComplete={(isOpen) => !isOpen && onClosed?.()}
    >
      <Base.Portal>
        <Base.Backdrop className={classNames('fixed inset-0 z-40 bg-scrim', moved)} />
        <Base.Popup
          className={classNames(
            'fixed top-[max(16px,14vh)] left-1/2 z-50 flex max-h-[80dvh] w-[calc(100%-32px)] -translate-x-1/2 flex-col rounded-dialog bg-raised shadow-menu outline-none data-starting-style:scale-98',
            width === 's' ? 'max-w-110' : 'max-w-160',
            moved,
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 grow">
              <Base.Title className="font-semibold text-section">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="mt-1 text-ink-2 text-read">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              render={
                <IconButton label="Close">
                  <X size={16} aria-hidden />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 grow overflow-y-auto px-5 py-4">{children}</div>
          {footer !== undefined && (
            <footer className="flex justify-end gap-2 border-line border-t px-5 py-3">{footer}</footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface ConfirmProps extends Pick<DialogProps, 'open' | 'onOpenChange' | 'title'> {
  /** What will happen, each in one sentence. */
  readonly consequences: readonly string[]
  /** Repeats the deed. */
  readonly action: string
  readonly busy: boolean
  /** It cannot be undone. */
  readonly is_final?: boolean
  readonly onConfirm: () => void
}

/** Asks before something that others would notice. */
export function Confirm({
  consequences,
  action,
  busy,
  is_final = false,
  onConfirm,
  ...dialog
}: ConfirmProps) {
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={() => dialog.onOpenChange(false)}>Cancel</Button>
          <Button look={is_final ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <ul className="flex flex-col gap-1.5 text-ink-2 text-read">
        {consequences.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </Dialog>
  )
}

interface PanelProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Names the panel for screen readers; its header shows it too. */
  readonly title: string
  readonly header: ReactNode
  readonly children: ReactNode
}

/**
 * One object beside its list, 800 wide, the whole screen on a phone. The list stays usable. The open object is in the
 * address, so that the way back closes it.
 */
export function Panel({ open, onOpenChange, title, header, children }: PanelProps) {
  // The panel itself: none of its buttons is what it was opened for.
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={onOpenChange} modal={false} disablePointerDismissal>
      <Base.Portal>
        <Base.Popup
          initialFocus={popup}
          ref={popup}
          className="fixed inset-y-0 right-0 z-30 flex w-full max-w-[var(--ch-panel)] flex-col bg-surface shadow-panel outline-none transition-[opacity,transform] duration-180 ease-out data-ending-style:translate-x-4 data-starting-style:translate-x-4 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <Base.Title className="sr-only">{title}</Base.Title>
          <header className="flex h-[var(--ch-topbar)] shrink-0 items-center gap-1 border-line border-b px-5">
            {header}
          </header>
          <div className="min-h-0 grow overflow-y-auto">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
