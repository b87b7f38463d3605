import * as proofs from '@crewhall/contracts/identity/email-proofs.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { apiOf } from '../../api/api.ts'
import { paths } from '../../app/paths.ts'
import { queries } from '../../app/queries.ts'
import { meQuery } from '../../app/session.ts'
import { ToSignIn } from '../../shell/to-sign-in.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AuthPage } from './auth-page.tsx'

const api = apiOf({ identity: routesIn(proofs) })

/** The link that proves an address. A press of a button and not the visit, because mail programs visit links too. */
export function Confirm() {
  const { token = '' } = useSearch({ strict: false })
  const me = useQuery(meQuery)
  const form = useForm(
    () => api.acting({}).identity.confirmEmail({ body: { token } }),
    () => void queries.invalidateQueries({ queryKey: ['me'] }),
  )
  if (me.data === undefined) return null
  if (me.data === null) return <ToSignIn />
  if (form.isDone)
    return (
      <AuthPage title="Your address is confirmed" lead={me.data.person.email}>
        <Link to={paths.home} className={buttonClass({ look: 'primary', size: 'l' })}>
          Go on
        </Link>
      </AuthPage>
    )
  return (
    <AuthPage title="Confirm your address" lead={me.data.person.email}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <FormError problem={form.problem} />
        <Button type="submit" look="primary" size="l" busy={form.isBusy}>
          Confirm address
        </Button>
      </form>
    </AuthPage>
  )
}
