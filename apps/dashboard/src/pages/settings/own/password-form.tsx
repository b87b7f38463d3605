import { useRef, useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { queries } from '../../../app/queries.ts'
import { useMe } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { Box } from './box.tsx'
import { ownApi, sessionsQuery } from './own-data.ts'

export function PasswordForm() {
  const { person } = useMe()
  const canWrite = useCanWrite()
  const [action, setAction] = useState(newAction)
  const fields = useRef<HTMLFormElement>(null)
  const form = useForm(
    ({ current_password = '', password = '' }) =>
      ownApi.acting(action).identity.changePassword({ body: { current_password, password } }),
    () => {
      fields.current?.reset()
      setAction(newAction())
      void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      say('Your password is changed', { note: 'Your other sessions have ended.' })
    },
  )
  const wrong = errorOf(form.problem, 'password')
  return (
    <Box title="Password" note="Changing it signs you out everywhere else. Access tokens stay valid.">
      <form
        ref={fields}
        onSubmit={form.onSubmit}
        // What was refused is another attempt once it was edited.
        onChange={() => form.problem && setAction(newAction())}
        className="flex max-w-100 flex-col gap-4 p-4"
        noValidate
      >
        {/* For password managers, which keep a password with its account. */}
        <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
        <Field
          label="Current password"
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          hint="At least 8 characters."
          error={wrong}
        />
        <FormError problem={wrong === undefined ? form.problem : undefined} />
        <Button type="submit" className="self-start" busy={form.isBusy} disabled={!canWrite}>
          Change password
        </Button>
      </form>
    </Box>
  )
}
