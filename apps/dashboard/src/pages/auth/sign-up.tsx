import { Link, useNavigate } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { sessionApi, takeSession } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { AuthPage } from './auth-page.tsx'

const fields = ['brand_name', 'full_name', 'email', 'password']

export function SignUp() {
  const navigate = useNavigate()
  const form = useForm(
    async ({ email = '', password = '', full_name = '', brand_name = '' }) =>
      (await sessionApi.acting({}).identity.signUp({ body: { email, password, full_name, brand_name } }))
        .body,
    (me) => {
      takeSession(me)
      void navigate({ to: paths.start, replace: true })
    },
  )
  const isOfField = fields.some((field) => errorOf(form.problem, field) !== undefined)
  return (
    <AuthPage title="Create a workspace" lead="You will be its admin.">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
        <Field
          label="Workspace"
          name="brand_name"
          autoComplete="organization"
          required
          autoFocus
          error={errorOf(form.problem, 'brand_name')}
        />
        <Field
          label="Your name"
          name="full_name"
          autoComplete="name"
          required
          error={errorOf(form.problem, 'full_name')}
        />
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          hint="A link to confirm it is sent there."
          error={errorOf(form.problem, 'email')}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          hint="At least 8 characters."
          error={errorOf(form.problem, 'password')}
        />
        <FormError problem={isOfField ? undefined : form.problem} />
        <Button type="submit" look="primary" size="l" busy={form.isBusy} className="mt-1">
          Create workspace
        </Button>
      </form>
      <p className="mt-6 text-center text-ink-2 text-read">
        Have an account?{' '}
        <Link to={paths.signIn} className="text-link underline underline-offset-2">
          Sign in
        </Link>
      </p>
    </AuthPage>
  )
}
