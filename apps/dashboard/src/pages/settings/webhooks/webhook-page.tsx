import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { paths } from '../../../app/paths.ts'
import { useNow } from '../../../app/times.ts'
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { Deliveries, DeliveryPane } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { webhookQuery } from './webhook-data.ts'
import { momentTold, WebhookState } from './webhook-words.tsx'
import { Sources } from './webhooks-page.tsx'

const crumbs = [{ label: 'Webhooks', to: paths.webhooks }]

export function WebhookPage() {
  const { id } = useParams({ strict: false })
  const { data, error, refetch } = useQuery(webhookQuery(String(id)))
  if (error && !data)
    return (
      <SettingsLayout title="Webhook" crumbs={crumbs}>
        <ErrorState error={error} what="The webhook" onRetry={() => void refetch()} />
      </SettingsLayout>
    )
  return (
    <SettingsLayout
      title={data ? hostOf(data.url) : 'Webhook'}
      crumbs={crumbs}
      actions={data && <WebhookActions hook={data} />}
      aside={data && <DeliveryPane hook={data} />}
    >
      {data ? (
        <>
          <Head hook={data} />
          <Deliveries hook={data} />
        </>
      ) : (
        <SkeletonRows />
      )}
    </SettingsLayout>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function Head({ hook }: { readonly hook: Webhook }) {
  const now = useNow()
  return (
    <header className="mb-5">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h2 className="min-w-0 break-all font-mono text-read">{hook.url}</h2>
        <WebhookState hook={hook} now={now} />
      </div>
      {hook.description !== '' && <p className="break-words">{hook.description}</p>}
      <p className="text-ink-2">
        Sends <code className="text-meta">{hook.events.join(', ')}</code> of <Sources hook={hook} />.{' '}
        {reasonOf(hook)}
        {hook.old_secret_until !== null &&
          Date.parse(hook.old_secret_until) > now &&
          ` Until ${momentTold(hook.old_secret_until, now)}, deliveries are signed with the previous secret as well.`}
      </p>
    </header>
  )
}

/** Why it stands still, if it does. */
function reasonOf({ enabled, disabled_reason, failing_since }: Webhook): string {
  if (disabled_reason === 'gone')
    return 'The receiver returned 410, its way to unsubscribe. Resume it to send again.'
  if (!enabled) return 'Nothing is sent while it is paused; what waits is kept.'
  return failing_since === null ? '' : 'No delivery has succeeded since then; they are tried again.'
}
