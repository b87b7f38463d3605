import type { Erasure } from '@crewhall/contracts/identity/erasures.ts'
import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx'
import { sayFailed } from '../../../ui/toast.tsx'
import type { useForm } from '../../../ui/use-form.ts'
import { Box } from './box.tsx'

interface EraseProps {
  readonly title: string
  readonly note: string
  readonly what: string
  readonly erasure: UseQueryResult<Erasure | null>
  /** Workspaces that need another admin first. */
  readonly waitsFor?: readonly string[]
  readonly onAsk: () => void
  readonly keep: () => Promise<void>
}

/** What is deleted for good, from the wish to the day when it begins. */
export function EraseBox({ title, note, what, erasure, waitsFor = [], onAsk, keep }: EraseProps) {
  const canWrite = useCanWrite()
  const keeping = useMutation({
    mutationFn: keep,
    onError: (error) => sayFailed(`${what} is still to be deleted`, error),
  })
  const { data, error, refetch } = erasure
  return (
    <Box title={title} note={note}>
      {error && data === undefined ? (
        <ErrorState error={error} what="The deletion" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={1} />
      ) : data === null ? (
        <div className="px-4 py-3">
          <Button disabled={!canWrite} onClick={onAsk}>
            {title}
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 bg-warn-bg px-4 py-3 text-warn">
          <TriangleAlert size={16} className="shrink-0" aria-hidden />
          <p className="min-w-0 grow basis-60">
            {what}{' '}
            {data.status === 'scheduled' ? `is deleted on ${dayOf(data.due_at)}.` : 'is being deleted.'}
            {waitsFor.length > 0 && ` It waits until ${waitsFor.join(', ')} has another admin.`}
          </p>
          {data.status === 'scheduled' && (
            <Button busy={keeping.isPending} disabled={!canWrite} onClick={() => keeping.mutate()}>
              Keep it
            </Button>
          )}
        </div>
      )}
    </Box>
  )
}

/** `24 November 2026, 12:04`: a day that nobody may mistake. */
const dayOf = (at: string): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })

interface EraseDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly consequences: readonly string[]
  /** A form, because it asks for more than a press. */
  readonly children: ReactNode
}

export function EraseDialog({ consequences, children, ...dialog }: EraseDialogProps) {
  return (
    <Dialog {...dialog}>
      <ul className="mb-4 flex flex-col gap-1.5 text-ink-2 text-read">
        {consequences.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {children}
    </Dialog>
  )
}

interface EraseFormProps {
  readonly form: ReturnType<typeof useForm<unknown>>
  /** A refusal that the field shows. */
  readonly wrong: string | undefined
  readonly action: string
  readonly onCancel: () => void
  readonly children: ReactNode
}

export function EraseForm({ form, wrong, action, onCancel, children }: EraseFormProps) {
  const canWrite = useCanWrite()
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      {children}
      <FormError problem={wrong === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="danger" busy={form.isBusy} disabled={!canWrite}>
          {action}
        </Button>
      </div>
    </form>
  )
}
