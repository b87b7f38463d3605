import type { CatalogEmployee } from '@crewhall/contracts/hires/catalog.ts'
import type { EmployeeContent } from '@crewhall/contracts/hires/template.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { platformApi, readPlatformAgain } from './platform-data.ts'

const employeeQuery = (profile_id: string) =>
  queryOptions({
    queryKey: ['platform', 'employee', profile_id],
    queryFn: async ({ signal }) =>
      (await platformApi.reading(signal).hires.getCatalogEmployee({ params: { profile_id } })).body,
    // What is being typed is not replaced; whether it is still the same, the server says.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** The draft of an employee, or what is published if there is none. */
export function EditEmployee(props: { readonly employee: CatalogEmployee; readonly onDone: () => void }) {
  const { profile_id } = props.employee
  const { data, error, refetch } = useQuery(employeeQuery(profile_id))
  if (error && !data) return <ErrorState error={error} what="The employee" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  return (
    <DraftForm
      content={data.draft ?? data.published}
      send={async (content) =>
        (
          await platformApi.acting(newAction()).hires.changeDraft({
            params: { profile_id },
            body: { ...content, revision: data.revision },
          })
        ).body
      }
      onDone={props.onDone}
    />
  )
}

/** As a release would bring it, to begin with. */
const empty: EmployeeContent = {
  name: '',
  title: '',
  summary: '',
  description: '',
  good_at: [],
  is_builder: false,
  template: null,
}

export function NewEmployee({ onDone }: { readonly onDone: () => void }) {
  return (
    <DraftForm
      hasKey
      content={empty}
      send={async (content, key) =>
        (await platformApi.acting(newAction()).hires.createEmployee({ body: { ...content, key } })).body
      }
      onDone={onDone}
    />
  )
}

interface FormProps {
  readonly hasKey?: boolean
  readonly content: EmployeeContent | null
  readonly send: (content: EmployeeContent, key: string) => Promise<{ readonly name: string }>
  readonly onDone: () => void
}

function DraftForm({ hasKey = false, content, send, onDone }: FormProps) {
  const id = useId()
  const canWrite = useCanWrite()
  const [text, setText] = useState(() => JSON.stringify(content ?? empty, null, 2))
  const form = useForm(
    // The server judges what it says; only whether it is JSON at all is found out here.
    ({ key = '' }) => send(JSON.parse(text) as EmployeeContent, key),
    ({ name }) => {
      readPlatformAgain()
      say(`The draft of ${name} is saved`)
      onDone()
    },
  )
  const keyError = errorOf(form.problem, 'key')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      {hasKey && (
        <Field label="Key" name="key" required autoFocus hint="It never changes." error={keyError} />
      )}
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium text-ui">
          Content, as JSON
        </label>
        <textarea
          id={id}
          rows={16}
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          className="w-full rounded-control border border-line-control bg-surface px-3 py-2 font-mono text-meta"
        />
      </div>
      <FormError problem={keyError === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          {canWrite ? 'Save the draft' : 'Offline'}
        </Button>
      </div>
    </form>
  )
}
