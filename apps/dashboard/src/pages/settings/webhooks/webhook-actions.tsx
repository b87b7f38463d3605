import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { paths } from '../../../app/paths.ts'
import { queries } from '../../../app/queries.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Confirm, Dialog } from '../../../ui/dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { SecretOnce } from '../../../ui/secret-once.tsx'
import { say, sayFailed } from '../../../ui/toast.tsx'
import { useWide } from '../../../ui/use-wide.ts'
import { readWebhooksAgain, webhookQuery, webhooksApi } from './webhook-data.ts'
import { WebhookForm } from './webhook-form.tsx'

type Asking = 'rotate' | 'delete' | 'edit'

export function WebhookActions({ hook }: { readonly hook: Webhook }) {
  const canWrite = useCanWrite()
  const isWide = useWide()
  const [asking, setAsking] = useState<Asking>()
  const [secret, setSecret] = useState<string>()
  const { test, pause, rotate, remove } = useDeeds(hook, (given) => {
    setAsking(undefined)
    setSecret(given)
  })
  const ask = (what: Asking) => (open: boolean) => setAsking(open ? what : undefined)
  return (
    <>
      <Button disabled={!canWrite} busy={test.isPending} onClick={() => test.mutate()}>
        <Send size={14} strokeWidth={1.75} aria-hidden />
        Send a test
      </Button>
      {isWide && (
        <Button disabled={!canWrite} onClick={() => setAsking('rotate')}>
          <KeyRound size={14} strokeWidth={1.75} aria-hidden />
          Rotate secret
        </Button>
      )}
      <Menu
        align="end"
        trigger={
          <IconButton label="More actions">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={Pencil} disabled={!canWrite} onSelect={() => setAsking('edit')}>
          Edit
        </MenuItem>
        <MenuItem
          icon={hook.enabled ? Pause : Play}
          disabled={!canWrite}
          onSelect={() => pause.mutate(!hook.enabled)}
        >
          {hook.enabled ? 'Pause' : 'Resume'}
        </MenuItem>
        {!isWide && (
          <MenuItem icon={KeyRound} disabled={!canWrite} onSelect={() => setAsking('rotate')}>
            Rotate secret
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={Trash2} disabled={!canWrite} onSelect={() => setAsking('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <Dialog open={asking === 'edit'} onOpenChange={ask('edit')} title="Edit the webhook" width="m">
        <WebhookForm hook={hook} onCancel={() => setAsking(undefined)} onDone={() => setAsking(undefined)} />
      </Dialog>
      <Confirm
        open={asking === 'rotate'}
        onOpenChange={ask('rotate')}
        title="Rotate the signing secret?"
        consequences={[
          'Deliveries are signed with a new secret at once.',
          'For 24 hours they are signed with the old one as well, so that the receiver can change over.',
        ]}
        action="Rotate"
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate()}
      />
      <Confirm
        open={asking === 'delete'}
        onOpenChange={ask('delete')}
        title="Delete the webhook?"
        consequences={[
          'What still waits is not sent.',
          'Its deliveries can no longer be read.',
          'This cannot be undone.',
        ]}
        action="Delete"
        is_final
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      <SecretOnce
        secret={secret}
        title="The new signing secret"
        text="The receiver verifies with it that a delivery comes from here."
        onDone={() => setSecret(undefined)}
      />
    </>
  )
}

function useDeeds(hook: Webhook, onSecret: (secret: string) => void) {
  const navigate = useNavigate()
  const params = { webhook_id: hook.id }
  const acting = () => webhooksApi.acting(newAction()).webhooks
  const test = useMutation({
    mutationFn: async () => (await acting().testWebhook({ params })).body,
    onSuccess: async ({ id }) => {
      await readWebhooksAgain()
      void navigate({ to: '.', search: { delivery: id } })
    },
    onError: (error) => sayFailed('The test was not sent', error),
  })
  const pause = useMutation({
    mutationFn: async (enabled: boolean) =>
      (await acting().changeWebhook({ params, body: { enabled } })).body,
    onSuccess: (now) => {
      queries.setQueryData(webhookQuery(hook.id).queryKey, now)
      void readWebhooksAgain()
      say(now.enabled ? 'The webhook sends again' : 'The webhook is paused')
    },
    onError: (error) => sayFailed('The webhook was not changed', error),
  })
  const rotate = useMutation({
    mutationFn: async () => (await acting().rotateSecret({ params })).body,
    onSuccess: ({ secret }) => {
      void readWebhooksAgain()
      rotate.reset()
      onSecret(secret)
    },
    onError: (error) => sayFailed('The secret was not rotated', error),
    gcTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => acting().deleteWebhook({ params }),
    onSuccess: async () => {
      await navigate({ to: paths.webhooks })
      queries.removeQueries({ queryKey: webhookQuery(hook.id).queryKey })
      void readWebhooksAgain()
    },
    onError: (error) => sayFailed('The webhook was not deleted', error),
  })
  return { test, pause, rotate, remove }
}
