import type { Plan } from '@crewhall/contracts/identity/admin.ts'
import { type FeatureKey, heldBy } from '@crewhall/contracts/workspaces/features.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckRow } from '../../../ui/check-row.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Table } from '../../../ui/table.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { SettingsLayout } from '../settings-layout.tsx'
import { plansQuery, platformApi, readPlatformAgain } from './platform-data.ts'

const features = Object.keys(heldBy) as readonly FeatureKey[]

export function PlansPage() {
  const { data, error, refetch } = useQuery(plansQuery)
  const [edited, setEdited] = useState<Plan>()
  return (
    <SettingsLayout title="Plans">
      <Table
        className="max-w-280"
        read={{ what: 'The plans', error, refetch }}
        rows={data}
        keyOf={({ key }) => key}
        expected={3}
        lines={2}
        isLinked
        columns={[
          {
            name: 'Plan',
            cell: (plan) => (
              <>
                <button
                  type="button"
                  onClick={() => setEdited(plan)}
                  className="block break-words text-left font-medium after:absolute after:inset-0"
                >
                  {plan.name}
                </button>
                <span className="font-mono text-ink-2 text-meta">{plan.key}</span>
              </>
            ),
          },
          {
            name: 'Features',
            from: 'md',
            look: 'text-ink-2',
            cell: (plan) => plan.features.join(', ') || '–',
          },
          { name: 'Desks', width: 'w-24', atEnd: true, cell: ({ desk_cap }) => desk_cap },
          { name: 'Sources', width: 'w-28', atEnd: true, cell: ({ source_cap }) => source_cap },
        ]}
      />
      <Dialog
        open={edited !== undefined}
        onOpenChange={(open) => !open && setEdited(undefined)}
        title={`Plan ${edited?.key ?? ''}`}
        description="Takes effect at once for every workspace on it."
      >
        {edited && <PlanForm plan={edited} onDone={() => setEdited(undefined)} />}
      </Dialog>
    </SettingsLayout>
  )
}

function PlanForm({ plan, onDone }: { readonly plan: Plan; readonly onDone: () => void }) {
  const canWrite = useCanWrite()
  const [action] = useState(newAction)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(plan.features))
  const form = useForm(
    async ({ name = '', desk_cap = '', source_cap = '' }) =>
      (
        await platformApi.acting(action).identity.changePlan({
          params: { key: plan.key },
          body: {
            name,
            features: features.filter((key) => chosen.has(key)),
            desk_cap: Number(desk_cap),
            source_cap: Number(source_cap),
          },
        })
      ).body,
    ({ name }) => {
      readPlatformAgain()
      say(`${name} is changed`)
      onDone()
    },
  )
  const errors = ['name', 'desk_cap', 'source_cap'].map((field) => errorOf(form.problem, field))
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="Name" name="name" defaultValue={plan.name} error={errors[0]} />
      <div className="grid grid-cols-2 gap-4">
        <Field
          label="Desks"
          name="desk_cap"
          inputMode="numeric"
          defaultValue={String(plan.desk_cap)}
          error={errors[1]}
        />
        <Field
          label="Sources"
          name="source_cap"
          inputMode="numeric"
          defaultValue={String(plan.source_cap)}
          error={errors[2]}
        />
      </div>
      <fieldset>
        <legend className="mb-1 font-medium text-ui">Features</legend>
        {features.map((key) => (
          <CheckRow
            key={key}
            checked={chosen.has(key)}
            onChange={({ target }) =>
              setChosen(
                new Set(target.checked ? [...chosen, key] : [...chosen].filter((each) => each !== key)),
              )
            }
          >
            {key}
          </CheckRow>
        ))}
      </fieldset>
      <FormError problem={errors.some((error) => error !== undefined) ? undefined : form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          {canWrite ? 'Save' : 'Offline'}
        </Button>
      </div>
    </form>
  )
}
