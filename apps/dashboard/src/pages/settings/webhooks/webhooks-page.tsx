import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { boardsQuery } from '../../../app/boards.ts'
import { toWebhook } from '../../../app/paths.ts'
import { useNow } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SecretOnce } from '../../../ui/secret-once.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { webhooksQuery } from './webhook-data.ts'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookState } from './webhook-words.tsx'

export function WebhooksPage() {
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>()
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(webhooksQuery)
  return (
    <SettingsLayout
      title="Webhooks"
      actions={
        // Who may not see them may not make one.
        data && (
          <Button look="primary" disabled={!canWrite} onClick={() => setAdding(true)}>
            <Plus size={15} aria-hidden />
            New webhook
          </Button>
        )
      }
    >
      {error && !data ? (
        <ErrorState error={error} what="The webhooks" onRetry={() => void refetch()} />
      ) : (
        <Webhooks hooks={data} onAdd={() => setAdding(true)} />
      )}
      <Dialog
        open={isAdding}
        onOpenChange={setAdding}
        title="New webhook"
        description="Events are sent to the address, signed as Standard Webhooks defines it."
        width="m"
      >
        <WebhookForm
          onCancel={() => setAdding(false)}
          onDone={({ id }, secret) => {
            setAdding(false)
            if (secret !== undefined) setMade({ id, secret })
          }}
        />
      </Dialog>
      <SecretOnce
        secret={made?.secret}
        title="The signing secret"
        text="The receiver verifies with it that a delivery comes from here."
        onDone={() => {
          if (made) void navigate(toWebhook(made.id))
          setMade(undefined)
        }}
      />
    </SettingsLayout>
  )
}

interface ListProps {
  readonly hooks: readonly Webhook[] | undefined
  readonly onAdd: () => void
}

function Webhooks({ hooks, onAdd }: ListProps) {
  const now = useNow()
  if (!hooks)
    return (
      <div className="rounded-card border border-line bg-surface">
        <SkeletonRows rows={3} />
      </div>
    )
  if (hooks.length === 0)
    return (
      <State
        icon={WebhookIcon}
        title="No webhooks yet"
        action={
          <Button look="primary" onClick={onAdd}>
            Make a webhook
          </Button>
        }
      >
        A webhook tells another program what happens here, as it happens.
      </State>
    )
  return (
    <div className="max-w-280 overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full table-fixed">
        <thead>
          <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
            <th className="px-4 font-medium">Address</th>
            <th className="hidden w-56 px-4 font-medium lg:table-cell">Events</th>
            <th className="hidden w-32 px-4 font-medium lg:table-cell">From</th>
            <th className="hidden w-48 px-4 font-medium md:table-cell">State</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {hooks.map((hook) => (
            <tr key={hook.id} className="relative h-[var(--ch-row-2)] hover:bg-hover">
              <td className="px-4 py-2">
                <Link
                  {...toWebhook(hook.id)}
                  className="block break-all font-mono text-meta after:absolute after:inset-0"
                >
                  {hook.url}
                </Link>
                {hook.description !== '' && (
                  <span className="block break-words text-ink-2 text-meta">{hook.description}</span>
                )}
                <span className="mt-1 block md:hidden">
                  <WebhookState hook={hook} now={now} />
                </span>
              </td>
              <td className="hidden break-words px-4 py-2 font-mono text-ink-2 text-meta lg:table-cell">
                {hook.events.join(' ')}
              </td>
              <td className="hidden px-4 py-2 text-ink-2 lg:table-cell">
                <Sources hook={hook} />
              </td>
              <td className="hidden px-4 py-2 md:table-cell">
                <WebhookState hook={hook} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The boards that it tells of, by key. */
export function Sources({ hook: { board_ids } }: { readonly hook: Webhook }) {
  const { data } = useQuery(boardsQuery)
  if (board_ids === null) return 'the whole workspace'
  const known = board_ids.flatMap((id) => data?.items.find((board) => board.id === id)?.key ?? [])
  const others = board_ids.length - known.length
  return [...known, ...(others > 0 ? [`${others} more`] : [])].join(', ')
}
