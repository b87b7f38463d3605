import { defaultCeiling, type Scope, scopes, scopeWords } from '@crewhall/contracts/scopes.ts'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { agentsQuery } from '../../../app/agents.ts'
import { useBrand } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckRow } from '../../../ui/check-row.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Select } from '../../../ui/select.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { type GivenSecret, readTokensAgain, tokensApi } from './token-data.ts'

interface NewTokenProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onGiven: (given: GivenSecret) => void
}

export function NewToken({ open, onOpenChange, onGiven }: NewTokenProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="New token"
      description="A program calls the API with it, with your role and never more than its scopes."
      width="m"
    >
      <TokenForm onCancel={() => onOpenChange(false)} onGiven={onGiven} />
    </Dialog>
  )
}

const users = [
  { value: 'me', word: 'Me' },
  { value: 'agent', word: 'An agent of the workspace' },
  { value: 'program', word: 'Another program, by a name of your choice' },
] as const
type User = (typeof users)[number]['value']

function TokenForm({
  onCancel,
  onGiven,
}: Pick<NewTokenProps, 'onGiven'> & { readonly onCancel: () => void }) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [action] = useState(newAction)
  const [user, setUser] = useState<User>('me')
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(['brand:read']))
  const form = useForm(
    async ({ name = '', days = '', agent = '' }) =>
      (
        await tokensApi.acting(action).identity.createToken({
          params: { brand_id },
          body: {
            name,
            scopes: scopes.filter((scope) => chosen.has(scope)),
            expires_in_days: Number(days),
            ...(user === 'agent' ? { agent_id: agent } : {}),
            ...(user === 'program' ? { agent } : {}),
          },
        })
      ).body,
    ({ name, token }) => {
      readTokensAgain()
      onGiven({ name, secret: token, is_new: true })
    },
  )
  const errors = {
    name: errorOf(form.problem, 'name'),
    days: errorOf(form.problem, 'expires_in_days'),
    agent: errorOf(form.problem, 'agent_id') ?? errorOf(form.problem, 'agent'),
  }
  const isOfField = Object.values(errors).some((error) => error !== undefined)
  const tick = (scope: Scope, isOn: boolean) =>
    setChosen((before) => new Set(isOn ? [...before, scope] : [...before].filter((each) => each !== scope)))
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="Name" name="name" required autoFocus placeholder="Build server" error={errors.name} />
      <div className="grid gap-4 md:grid-cols-[1fr_10rem]">
        <Select
          label="Used by"
          value={user}
          options={users}
          onChange={(event) => setUser(event.target.value as User)}
        />
        <Field
          label="Days until it expires"
          name="days"
          type="number"
          inputMode="numeric"
          defaultValue="90"
          error={errors.days}
        />
      </div>
      {user === 'agent' && <AgentField error={errors.agent} />}
      {user === 'program' && (
        <Field
          key="program"
          label="Name of the program"
          name="agent"
          required
          hint="What it does is told as done by it, for you."
          error={errors.agent}
        />
      )}
      <fieldset>
        <legend className="mb-1 font-medium text-ui">Scopes</legend>
        {scopes.map((scope) => (
          <CheckRow
            key={scope}
            checked={chosen.has(scope)}
            onChange={(event) => tick(scope, event.target.checked)}
            note={noteOf(scope)}
          >
            <code className="text-meta">{scope}</code>
          </CheckRow>
        ))}
      </fieldset>
      <FormError problem={isOfField ? undefined : form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          {canWrite ? 'Make token' : 'Offline'}
        </Button>
      </div>
    </form>
  )
}

const noteOf = (scope: Scope): string =>
  defaultCeiling.includes(scope)
    ? scopeWords[scope]
    : `${scopeWords[scope]}. Only where whoever runs this installation allows it.`

function AgentField({ error }: { readonly error: string | undefined }) {
  const { data = [] } = useQuery(agentsQuery)
  const id = useId()
  return (
    <>
      <Field
        key="agent"
        label="Agent id"
        name="agent"
        required
        list={id}
        autoComplete="off"
        hint="The token carries its name, and is revoked when the agent is retired."
        error={error}
      />
      <datalist id={id}>
        {data.map(({ agent_id, name }) => (
          <option key={agent_id} value={agent_id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}
