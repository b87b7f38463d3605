import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { useMutation } from '@tanstack/react-query'
import { RotateCcw, X } from 'lucide-react'
import { newAction } from '../../../api/own-fetch.ts'
import { useNow } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Fact, Facts } from '../../../ui/facts.tsx'
import { DeliveryStatus } from '../../../ui/status.tsx'
import { sayFailed } from '../../../ui/toast.tsx'
import { readWebhooksAgain, webhooksApi } from './webhook-data.ts'
import { errorWords, spanTold } from './webhook-words.tsx'

interface DetailProps {
  readonly hook: Webhook
  readonly delivery: Delivery
  readonly onClose: () => void
}

/** What is known of a delivery: how often it was tried, and what came of the last ten tries. */
export function DeliveryDetail({ hook, delivery, onClose }: DetailProps) {
  const now = useNow(1_000)
  const canWrite = useCanWrite()
  const again = useMutation({
    mutationFn: () =>
      webhooksApi
        .acting(newAction())
        .webhooks.redeliver({ params: { webhook_id: hook.id, delivery_id: delivery.id } }),
    onSuccess: () => void readWebhooksAgain(),
    onError: (error) => sayFailed(`${delivery.event} was not sent again`, error),
  })
  const { id, event, status, attempts, last_status, last_error, created_at, delivered_at, tries } = delivery
  const wait = delivery.next_attempt_at === null ? null : Date.parse(delivery.next_attempt_at) - now
  return (
    <>
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 grow break-all font-mono font-semibold text-read">{event}</h2>
        <Button
          size="s"
          className="-mt-0.5"
          disabled={!canWrite}
          busy={again.isPending}
          onClick={() => again.mutate()}
        >
          <RotateCcw size={13} strokeWidth={1.75} aria-hidden />
          {status === 'pending' ? 'Send now' : 'Send again'}
        </Button>
        <IconButton label="Close the delivery" onClick={onClose} className="-mt-1 -mr-1">
          <X size={15} aria-hidden />
        </IconButton>
      </div>
      <p className="mb-4 flex items-start font-mono text-ink-3 text-micro">
        <span className="break-all pt-1">{id}</span>
        <CopyButton text={id} label="the webhook-id" className="shrink-0" />
      </p>
      <Facts>
        <Fact name="State">
          <DeliveryStatus status={status} />
        </Fact>
        <Fact name="Tries">{attempts}</Fact>
        <Fact name="Happened">{exactly(created_at)}</Fact>
        {/* Deliveries from before tries were kept have only the last one. */}
        {tries.length === 0 && delivery.last_attempt_at !== null && (
          <Fact name="Last try">{exactly(delivery.last_attempt_at)}</Fact>
        )}
        {tries.length === 0 && last_status !== null && <Fact name="Response">{last_status}</Fact>}
        {wait !== null && <Fact name="Next try">{wait < 1000 ? 'now' : `in ${spanTold(wait)}`}</Fact>}
        {delivered_at !== null && (
          <Fact name="Arrived after">{spanTold(Date.parse(delivered_at) - Date.parse(created_at))}</Fact>
        )}
      </Facts>
      {tries.length > 0 && <Tries tries={tries} count={attempts} />}
      {last_error !== null && (
        <>
          <h3 className="mt-4 mb-1 font-semibold">Last error</h3>
          <p>
            <code className="text-ink-2 text-meta">{last_error}</code> {errorWords[last_error]}
          </p>
        </>
      )}
      <p className="mt-4 text-ink-2 text-meta">
        Every try carries the same content and the same <code>webhook-id</code>, so that a receiver can tell
        that it has seen it.
      </p>
    </>
  )
}

function Tries({ tries, count }: { readonly tries: Delivery['tries']; readonly count: number }) {
  return (
    <>
      <h3 className="mt-4 mb-1 font-semibold">
        {count > tries.length ? `Last ${tries.length} tries` : 'Tries'}
      </h3>
      <ol className="flex flex-col">
        {tries.map(({ at, status, error, duration_ms }, place) => (
          <li key={at} className="relative flex items-center gap-2.5 py-0.5">
            {place > 0 && (
              <span className="absolute bottom-1/2 left-[3.5px] h-full w-px bg-line-strong" aria-hidden />
            )}
            <span
              className={classNames(
                'relative z-1 size-2 shrink-0 rounded-full',
                error === null ? 'bg-ok-mark' : 'bg-bad-mark',
              )}
              aria-hidden
            />
            <time dateTime={at} className="shrink-0 font-mono text-ink-2 text-meta" title={at}>
              {exactly(at)}
            </time>
            <span className="min-w-0 grow truncate" title={error === null ? undefined : errorWords[error]}>
              {status ?? error}
              <span className="sr-only">{error === null ? ' delivered' : ' failed'}</span>
            </span>
            <span className="shrink-0 text-ink-2 text-meta">{spanTold(duration_ms)}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

/** `17 Nov, 11:51:22`. */
const exactly = (at: string): string =>
  new Date(at).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
