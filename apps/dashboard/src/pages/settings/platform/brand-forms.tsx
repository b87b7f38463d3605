import type { AdminBrand } from '@crewhall/contracts/identity/admin.ts'
import { type Scope, scopes, scopeWords } from '@crewhall/contracts/scopes.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckRow } from '../../../ui/check-row.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Select } from '../../../ui/select.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { plansQuery, platformApi, readPlatformAgain } from './platform-data.ts'

function usePlans() {
  const { data = [] } = useQuery(plansQuery)
  return data.map(({ key, name }) => ({ value: key, word: name }))
}

interface EndProps {
  readonly busy: boolean
  readonly action: string
  readonly onCancel: () => void
}

function End({ busy, action, onCancel }: EndProps) {
  const canWrite = useCanWrite()
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" look="primary" busy={busy} disabled={!canWrite}>
        {canWrite ? action : 'Offline'}
      </Button>
    </div>
  )
}

export function NewBrand({ onDone }: { readonly onDone: () => void }) {
  const plans = usePlans()
  const [action] = useState(newAction)
  const form = useForm(
    async ({ name = '', plan_key = '', admin_email = '' }) =>
      (
        await platformApi.acting(action).identity.createBrand({
          body: { name, plan_key, ...(admin_email === '' ? {} : { admin_email }) },
        })
      ).body,
    ({ name }) => {
      readPlatformAgain()
      say(`${name} is made`)
      onDone()
    },
  )
  const nameError = errorOf(form.problem, 'name')
  const emailError = errorOf(form.problem, 'admin_email')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="Name" name="name" required autoFocus error={nameError} />
      <Select label="Plan" name="plan_key" options={plans} />
      <Field
        label="E-mail of its admin"
        name="admin_email"
        type="email"
        hint="Of an account that exists. Without it, the workspace has nobody yet."
        error={emailError}
      />
      <FormError problem={(nameError ?? emailError) ? undefined : form.problem} />
      <End busy={form.isBusy} action="Make workspace" onCancel={onDone} />
    </form>
  )
}

const statuses = [
  { value: 'none', word: 'None' },
  { value: 'active', word: 'Active' },
  { value: 'past_due', word: 'Past due' },
  { value: 'canceled', word: 'Canceled' },
] as const

/** Plan, subscription and what tokens may have: three calls, of which only those that change something are made. */
export function EditBrand({ brand, onDone }: { readonly brand: AdminBrand; readonly onDone: () => void }) {
  const plans = usePlans()
  const [plan, setPlan] = useState(brand.plan_key)
  const [status, setStatus] = useState(brand.subscription.status)
  const [ends, setEnds] = useState(brand.subscription.ends_at?.slice(0, 10) ?? '')
  const [ceiling, setCeiling] = useState<ReadonlySet<string>>(new Set(brand.scope_ceiling))
  const form = useForm(
    async () => {
      const params = { brand_id: String(brand.id) }
      const to = platformApi.acting(newAction()).identity
      const scope_ceiling = scopes.filter((scope) => ceiling.has(scope))
      if (plan !== brand.plan_key) await to.changeBrandPlan({ params, body: { plan_key: plan } })
      if (status !== brand.subscription.status || ends !== (brand.subscription.ends_at?.slice(0, 10) ?? ''))
        await platformApi.acting(newAction()).identity.changeSubscription({
          params,
          body: { status, ends_at: ends === '' ? null : `${ends}T00:00:00Z` },
        })
      if (scope_ceiling.join(' ') !== scopes.filter((scope) => brand.scope_ceiling.includes(scope)).join(' '))
        await platformApi.acting(newAction()).identity.changePolicy({ params, body: { scope_ceiling } })
    },
    () => {
      readPlatformAgain()
      say(`${brand.name} is changed`)
      onDone()
    },
  )
  const tick = (scope: Scope, isOn: boolean) =>
    setCeiling((before) => new Set(isOn ? [...before, scope] : [...before].filter((each) => each !== scope)))
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Select label="Plan" value={plan} options={plans} onChange={(event) => setPlan(event.target.value)} />
      <div className="grid gap-4 md:grid-cols-2">
        <Select
          label="Subscription"
          value={status}
          options={statuses}
          onChange={(event) => setStatus(event.target.value as typeof status)}
        />
        <Field
          label="Ends on"
          name="ends"
          type="date"
          value={ends}
          onChange={(event) => setEnds(event.target.value)}
          hint="Empty: no end."
        />
      </div>
      <fieldset>
        <legend className="mb-1 font-medium text-ui">Scopes that its tokens may have</legend>
        {scopes.map((scope) => (
          <CheckRow
            key={scope}
            checked={ceiling.has(scope)}
            onChange={(event) => tick(scope, event.target.checked)}
            note={scopeWords[scope]}
          >
            <code className="text-meta">{scope}</code>
          </CheckRow>
        ))}
        <p className="mt-1 text-ink-2 text-meta">Tokens lose at once what is not ticked.</p>
      </fieldset>
      <FormError problem={form.problem} />
      <End busy={form.isBusy} action="Save" onCancel={onDone} />
    </form>
  )
}
