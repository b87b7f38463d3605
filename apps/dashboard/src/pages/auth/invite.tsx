import { routesIn } from '@crewhall/contracts/routes-in.ts'
import * as invitations from '@crewhall/contracts/workspaces/invitations.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { apiOf } from '../../api/api.ts'
import { paths, toSignIn } from '../../app/paths.ts'
import { queries } from '../../app/queries.ts'
import { meQuery, sessionApi, takeSession } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { errorOf, useForm } from '../../ui/use-form.ts'
import { AuthPage } from './auth-page.tsx'

const api = apiOf({ workspaces: routesIn(invitations) })

/** The link of an invitation: joins with the account that is signed in, or with a new one. */
export function Invite() {
  const { token = '' } = useSearch({ strict: false })
  const { href } = useLocation()
  const navigate = useNavigate()
  const me = useQuery(meQuery)
  const form = useForm(
    async ({ full_name, password, email }) => {
      const account = full_name !== undefined && password !== undefined ? { full_name, password } : {}
      const { body } = await api.acting({}).workspaces.acceptInvitation({ body: { token, ...account } })
      return { brand_id: body.brand_id, email, password }
    },
    ({ brand_id }) => void enter(brand_id),
  )
  const enter = async (brandId: number) => {
    const now = await queries.fetchQuery({ ...meQuery, staleTime: 0 })
    if (now === null) return void navigate({ ...toSignIn(paths.home), replace: true })
    const { body } = await sessionApi.acting({}).identity.switchBrand({ body: { brand_id: brandId } })
    takeSession(body)
    void navigate({ to: paths.home, replace: true })
  }
  if (me.data === undefined) return null
  const isSignedIn = me.data !== null
  const wrong = errorOf(form.problem, 'password')
  return (
    <AuthPage
      title="Join the workspace"
      lead={
        isSignedIn
          ? `as ${me.data?.person.full_name}, ${me.data?.person.email}`
          : 'Create your account to accept.'
      }
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
        {!isSignedIn && (
          <>
            <Field label="Your name" name="full_name" autoComplete="name" required autoFocus />
            <Field
              label="Password"
              name="password"
              type="password"
              autoComplete="new-password"
              required
              hint="At least 8 characters."
              error={wrong}
            />
          </>
        )}
        <FormError problem={wrong === undefined ? form.problem : undefined} />
        <Button type="submit" look="primary" size="l" busy={form.isBusy}>
          Accept invitation
        </Button>
      </form>
      <p className="mt-6 text-center text-ink-2 text-read">
        {isSignedIn ? 'Not you? ' : 'Have an account? '}
        <Link {...toSignIn(href)} className="text-link underline underline-offset-2">
          {isSignedIn ? 'Sign in as somebody else' : 'Sign in to accept'}
        </Link>
      </p>
    </AuthPage>
  )
}
