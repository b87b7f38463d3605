import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { paths, safeNext } from '../../app/paths.ts'
import { sessionApi, takeSession } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AuthPage } from './auth-page.tsx'

export function SignIn() {
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false })
  const form = useForm(
    async ({ email = '', password = '' }) =>
      (await sessionApi.acting({}).identity.signIn({ body: { email, password } })).body,
    (me) => {
      takeSession(me)
      void navigate({ href: safeNext(next), replace: true })
    },
  )
  return (
    <AuthPage title="Sign in" lead={`to ${location.host}`}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          aside={
            <Link to={paths.reset} className="text-link hover:underline">
              Forgot it?
            </Link>
          }
        />
        <FormError problem={form.problem} />
        <Button type="submit" look="primary" size="l" busy={form.isBusy} className="mt-1">
          Sign in
        </Button>
      </form>
      <p className="mt-6 text-center text-ink-2 text-read">
        New here?{' '}
        <Link to={paths.signUp} className="text-link underline underline-offset-2">
          Create a workspace
        </Link>
      </p>
    </AuthPage>
  )
}
