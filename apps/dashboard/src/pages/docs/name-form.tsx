import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'

interface NameFormProps<Result> {
  readonly name?: string
  /** The words of the button. */
  readonly action: string
  readonly send: (name: string) => Promise<Result>
  readonly onDone: (result: Result) => void
  readonly onCancel: () => void
}

/** The name of a space, new or changed. */
export function NameForm<Result>({ name, action, send, onDone, onCancel }: NameFormProps<Result>) {
  const form = useForm(({ name = '' }) => send(name), onDone)
  const wrong = errorOf(form.problem, 'name')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="Name" name="name" required autoFocus defaultValue={name} error={wrong} />
      <FormError problem={wrong === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
