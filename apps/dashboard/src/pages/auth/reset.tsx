import { Link, useSearch } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { sessionApi, takeSession } from '../../app/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { AuthPage } from './auth-page.tsx'

/** Without a token it asks for a link; with the one of the letter it takes the new password. */
export function Reset() {
  const { token } = useSearch({ strict: false })
  return token === undefined ? <AskForLink /> : <ChoosePassword token={token} />
}

function AskForLink() {
  const form = useForm(
    ({ email = '' }) => sessionApi.acting({}).identity.requestReset({ body: { email } }),
    () => {},
  )
  if (form.isDone)
    return (
      <AuthPage
        title="Look at your mail"
        lead="If the address has an account, a link is on its way. It works once."
      >
        <BackToSignIn />
      </AuthPage>
    )
  return (
    <AuthPage title="Reset your password" lead="A link is sent to your address.">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <FormError problem={form.problem} />
        <Button type="submit" look="primary" size="l" busy={form.isBusy}>
          Send the link
        </Button>
      </form>
      <BackToSignIn />
    </AuthPage>
  )
}

function ChoosePassword({ token }: { readonly token: string }) {
  const form = useForm(
    ({ password = '' }) => sessionApi.acting({}).identity.confirmReset({ body: { token, password } }),
    // All sessions of the person have ended, this one too.
    () => takeSession(null),
  )
  if (form.isDone)
    return (
      <AuthPage title="Your password is changed" lead="You are signed out everywhere.">
        <Link to={paths.signIn} className={buttonClass({ look: 'primary', size: 'l' })}>
          Sign in
        </Link>
      </AuthPage>
    )
  const wrong = errorOf(form.problem, 'password')
  return (
    <AuthPage title="Choose a new password" lead="It signs you out everywhere else.">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          autoFocus
          hint="At least 8 characters."
          error={wrong}
        />
        <FormError problem={wrong === undefined ? form.problem : undefined} />
        <Button type="submit" look="primary" size="l" busy={form.isBusy}>
          Change password
        </Button>
      </form>
      {form.problem && (
        <p className="mt-6 text-center text-read">
          <Link to={paths.reset} className="text-link hover:underline">
            Ask for a new link
          </Link>
        </p>
      )}
    </AuthPage>
  )
}

function BackToSignIn() {
  return (
    <p className="mt-6 text-center text-read">
      <Link to={paths.signIn} className="text-link hover:underline">
        Back to sign-in
      </Link>
    </p>
  )
}
