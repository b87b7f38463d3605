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
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { webhooksQuery } from './webhook-data.ts'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookState } from './webhook-words.tsx'

export function WebhooksPage() {
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>()
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const { data } = useQuery(webhooksQuery)
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
      <Webhooks onAdd={() => setAdding(true)} />
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

function Webhooks({ onAdd }: { readonly onAdd: () => void }) {
  const { data, error, refetch } = useQuery(webhooksQuery)
  const now = useNow()
  return (
    <Table
      className="max-w-280"
      read={{ what: 'The webhooks', error, refetch }}
      rows={data}
      keyOf={({ id }) => id}
      expected={3}
      lines={2}
      isLinked
      empty={
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
      }
      columns={[
        {
          name: 'Address',
          cell: (hook) => (
            <>
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
            </>
          ),
        },
        {
          name: 'Events',
          width: 'w-48',
          from: 'lg',
          look: 'break-words font-mono text-ink-2 text-meta',
          cell: ({ events }) => events.join(' '),
        },
        {
          name: 'From',
          width: 'w-44',
          from: 'lg',
          look: 'text-ink-2',
          cell: (hook) => <Sources hook={hook} />,
        },
        {
          name: 'State',
          width: 'w-48',
          from: 'md',
          cell: (hook) => <WebhookState hook={hook} now={now} />,
        },
      ]}
    />
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
