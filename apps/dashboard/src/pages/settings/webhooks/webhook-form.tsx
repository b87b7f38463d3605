import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { boardsQuery } from '../../../app/boards.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckRow } from '../../../ui/check-row.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Select } from '../../../ui/select.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { EventChoice } from './event-choice.tsx'
import { readWebhooksAgain, webhooksApi } from './webhook-data.ts'

interface FormProps {
  /** Left out for a new one. */
  readonly hook?: Webhook
  readonly onCancel: () => void
  /** The secret comes with a new one alone. */
  readonly onDone: (hook: Webhook, secret: string | undefined) => void
}

const sources = [
  { value: 'all', word: 'The whole workspace' },
  { value: 'some', word: 'Some boards' },
] as const

export function WebhookForm({ hook, onCancel, onDone }: FormProps) {
  const canWrite = useCanWrite()
  const [action] = useState(newAction)
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(hook?.events ?? ['task.*']))
  const [source, setSource] = useState(hook?.board_ids ? 'some' : 'all')
  const [boards, setBoards] = useState<ReadonlySet<string>>(new Set(hook?.board_ids ?? []))
  const form = useForm(
    async ({ url = '', description = '' }) => {
      const body = {
        url,
        description,
        events: [...events],
        board_ids: source === 'some' ? [...boards] : null,
      }
      const to = webhooksApi.acting(action).webhooks
      if (hook)
        return {
          ...(await to.changeWebhook({ params: { webhook_id: hook.id }, body })).body,
          secret: undefined,
        }
      return (await to.createWebhook({ body })).body
    },
    ({ secret, ...saved }) => {
      void readWebhooksAgain()
      onDone(saved, secret)
    },
  )
  const errors = {
    url: errorOf(form.problem, 'url'),
    description: errorOf(form.problem, 'description'),
    events: errorOf(form.problem, 'events'),
    boards: errorOf(form.problem, 'board_ids'),
  }
  const isOfField = Object.values(errors).some((error) => error !== undefined)
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field
        label="Address"
        name="url"
        type="url"
        required
        autoFocus
        defaultValue={hook?.url}
        placeholder="https://hooks.example.com/crewhall"
        error={errors.url}
      />
      <Field
        label="Description"
        name="description"
        defaultValue={hook?.description}
        hint="What it is for."
        error={errors.description}
      />
      <EventChoice chosen={events} onChange={setEvents} error={errors.events} />
      <Select
        label="From"
        value={source}
        options={sources}
        onChange={(event) => setSource(event.target.value)}
      />
      {source === 'some' && <BoardChoice chosen={boards} onChange={setBoards} error={errors.boards} />}
      <FormError problem={isOfField ? undefined : form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          {canWrite ? (hook ? 'Save' : 'Make webhook') : 'Offline'}
        </Button>
      </div>
    </form>
  )
}

interface BoardsProps {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  readonly error: string | undefined
}

function BoardChoice({ chosen, onChange, error }: BoardsProps) {
  const { data } = useQuery(boardsQuery)
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ui">Boards</legend>
      {data?.items.map(({ id, key, name }) => (
        <CheckRow
          key={id}
          checked={chosen.has(id)}
          onChange={({ target }) =>
            onChange(new Set(target.checked ? [...chosen, id] : [...chosen].filter((each) => each !== id)))
          }
        >
          <code className="text-ink-2 text-meta">{key}</code> {name}
        </CheckRow>
      ))}
      {error !== undefined && (
        <p role="alert" className="mt-1 text-bad text-meta">
          {error}
        </p>
      )}
    </fieldset>
  )
}
