import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

interface SecretProps {
  /** Undefined: nothing to show. Whoever holds it forgets it with `onDone`. */
  readonly secret: string | undefined
  readonly title: string
  /** What it is for, and what else happened. */
  readonly text: string
  readonly onDone: () => void
}

/** A secret that the server tells once: it is in the page while this is open, and nowhere afterwards. */
export function SecretOnce({ secret, title, text, onDone }: SecretProps) {
  return (
    <Dialog
      open={secret !== undefined}
      onOpenChange={(open) => !open && onDone()}
      title={title}
      description={text}
      width="m"
      staysOpen
      footer={
        <Button look="primary" onClick={onDone}>
          I have stored it
        </Button>
      }
    >
      {secret !== undefined && (
        <div className="flex items-start gap-2 rounded-control bg-sunken py-2 pr-2 pl-3">
          <code className="min-w-0 grow break-all pt-0.5 text-meta" data-secret>
            {secret}
          </code>
          <CopyButton text={secret} label="the secret" className="shrink-0" />
        </div>
      )}
      <p className="mt-3 text-ink-2">It is shown this once. Nobody can read it again, not even an admin.</p>
    </Dialog>
  )
}
