import type { DeviceRequest } from '@crewhall/contracts/identity/device.ts'
import * as device from '@crewhall/contracts/identity/device.ts'
import { deviceCodeMinutes, sessionDays, standardTokenDays } from '@crewhall/contracts/identity/lifetimes.ts'
import type { Me } from '@crewhall/contracts/identity/sessions.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { ShieldAlert } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { problemOf } from '../../api/problem.ts'
import { paths, toSignIn } from '../../app/paths.ts'
import { meQuery } from '../../app/session.ts'
import { ToSignIn } from '../../shell/to-sign-in.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { useLate } from '../../ui/states.tsx'
import { AuthPage } from '../auth/auth-page.tsx'

const api = apiOf({ identity: routesIn(device) })

/** Where a person lets in a program that shows them a code, such as the command line. */
export function DevicePage() {
  const { user_code = '' } = useSearch({ strict: false })
  const me = useQuery(meQuery)
  if (me.isError)
    return (
      <AuthPage title="Sign in a program" lead="">
        <FormError problem={problemOf(me.error)} />
      </AuthPage>
    )
  if (me.data === undefined) return null
  if (me.data === null) return <ToSignIn />
  return user_code === '' ? (
    <EnterCode me={me.data} />
  ) : (
    <Decide key={user_code} code={user_code} me={me.data} />
  )
}

/** Not the password of anybody: the code is looked up once for each time that it is entered, because wrong ones count. */
function EnterCode({ me }: { readonly me: Me }) {
  const navigate = useNavigate()
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('user_code') ?? '').trim()
    if (code !== '') void navigate({ to: paths.device, search: { user_code: code } })
  }
  return (
    <AuthPage title="Sign in a program" lead="Enter the code that it shows.">
      <form onSubmit={onSubmit} className="flex flex-col gap-4" noValidate>
        <CodeField />
        <Button type="submit" look="primary" size="l">
          Continue
        </Button>
      </form>
      <NotYou me={me} />
    </AuthPage>
  )
}

const CodeField = () => (
  <Field
    label="Code"
    name="user_code"
    placeholder="WDJB-MJHT"
    autoComplete="off"
    autoCapitalize="characters"
    spellCheck={false}
    maxLength={20}
    required
    autoFocus
    hint={`Eight letters, valid for ${deviceCodeMinutes} minutes.`}
  />
)

interface DecideProps {
  readonly code: string
  readonly me: Me
}

function Decide({ code, me }: DecideProps) {
  const asked = useQuery({
    queryKey: ['device', code],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).identity.getDeviceRequest({ query: { user_code: code } })).body,
    // A code that has been decided is a wrong one, and wrong ones count.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const late = useLate()
  if (asked.isError) {
    return (
      <AuthPage title="Sign in a program" lead={`The code ${code} did not work.`}>
        <FormError problem={problemOf(asked.error)} />
        <p className="mt-4 text-ink-2 text-read">
          Codes are valid for {deviceCodeMinutes} minutes and for one decision. Start again in your terminal:
        </p>
        <code className="mt-2 rounded-control bg-sunken px-3 py-2 font-mono text-ui">
          crewhall auth login
        </code>
        <Link to={paths.device} search={{}} className={`${buttonClass({ look: 'primary', size: 'l' })} mt-6`}>
          Enter another code
        </Link>
      </AuthPage>
    )
  }
  if (asked.data === undefined)
    return (
      <AuthPage title="Sign in a program" lead={late ? 'Looking for the program that waits…' : ' '}>
        <div className="h-96" aria-busy="true" />
      </AuthPage>
    )
  return <Question asked={asked.data} me={me} />
}

function Question({ asked, me }: { readonly asked: DeviceRequest; readonly me: Me }) {
  const [brand, setBrand] = useState(me.brand_id === null ? '' : String(me.brand_id))
  const deciding = useMutation({
    mutationFn: async (decision: 'approve' | 'deny') => {
      const chosen = brand === '' ? {} : { brand_id: Number(brand) }
      const body = { user_code: asked.user_code, decision, ...(decision === 'approve' ? chosen : {}) }
      return (await api.acting({}).identity.decideDeviceRequest({ body })).body.decision
    },
  })
  if (deciding.isSuccess) return <Decided asked={asked} isApproved={deciding.data === 'approved'} />
  const isToken = asked.asks_for === 'token'
  const only = me.memberships.length === 1 ? me.memberships[0] : undefined
  return (
    <AuthPage title="Let this program in?" lead={`as ${me.person.full_name}, ${me.person.email}`}>
      <p className="mb-5 rounded-card border border-line bg-sunken py-3 text-center font-mono font-semibold text-[22px] tracking-[0.12em]">
        <span className="sr-only">Code </span>
        {asked.user_code}
      </p>
      <dl className="mb-5 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-2 text-read">
        <Fact name="Computer">
          {asked.host === null ? 'does not say its name' : <>says that it is {asked.host}</>}
        </Fact>
        <Fact name="Program">{asked.client ?? 'unknown'}</Fact>
        <Fact name="Address">
          <span className="font-mono text-ui">{asked.network}</span>
          <br />
          {asked.same_network ? (
            'the same network as yours'
          ) : (
            <strong className="font-medium text-warn">another network than yours</strong>
          )}
        </Fact>
        <Fact name="Asks for">
          {isToken ? (
            <>
              an access token for {standardTokenDays} days
              <br />
              <Scopes scopes={asked.scopes ?? []} />
            </>
          ) : (
            <>a session of yours: it can do all that you can, for {sessionDays} days</>
          )}
        </Fact>
        {only !== undefined && <Fact name="Workspace">{only.name}</Fact>}
      </dl>
      <div className="flex flex-col gap-4">
        {me.memberships.length > 1 && (
          <Select
            label="Workspace"
            value={brand}
            onChange={(event) => setBrand(event.target.value)}
            options={me.memberships.map(({ brand_id, name }) => ({ value: String(brand_id), word: name }))}
          />
        )}
        <p className="flex gap-2 rounded-control bg-warn-bg px-3 py-2 text-ui text-warn">
          <ShieldAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
          Approve only what you started yourself just now, and only if it shows the same code. Nobody who
          helps you needs you to enter a code.
        </p>
        <FormError problem={deciding.isError ? problemOf(deciding.error) : undefined} />
        <div className="flex gap-3">
          <Button
            look="secondary"
            size="l"
            className="grow basis-0"
            disabled={deciding.isPending}
            onClick={() => deciding.mutate('deny')}
          >
            Deny
          </Button>
          <Button
            look="primary"
            size="l"
            className="grow basis-0"
            busy={deciding.isPending}
            onClick={() => deciding.mutate('approve')}
          >
            Approve
          </Button>
        </div>
      </div>
      <NotYou me={me} />
    </AuthPage>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-ink-2">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
)

const Scopes = ({ scopes }: { readonly scopes: readonly string[] }) =>
  scopes.length === 0 ? (
    <>without further scopes</>
  ) : (
    <>
      with{' '}
      {scopes.map((scope, at) => (
        <span key={scope}>
          {at > 0 && ', '}
          <span className="font-mono text-ui">{scope}</span>
        </span>
      ))}
    </>
  )

function Decided({ asked, isApproved }: { readonly asked: DeviceRequest; readonly isApproved: boolean }) {
  const where = asked.host === null ? 'The program' : asked.host
  return (
    <AuthPage
      title={isApproved ? 'Approved' : 'Denied'}
      lead={isApproved ? `${where} is being signed in. Go on in your terminal.` : `${where} got nothing.`}
    >
      <p className="mb-6 text-ink-2 text-read">
        {isApproved
          ? 'You get an e-mail about it. To end it, run crewhall auth logout there.'
          : 'If you did not start it, somebody may have tried to get into your account. Nothing was given to them.'}
      </p>
      <Link to={paths.home} className={buttonClass({ look: 'secondary', size: 'l' })}>
        Go to the dashboard
      </Link>
    </AuthPage>
  )
}

function NotYou({ me }: { readonly me: Me }) {
  const { latestLocation } = useRouter()
  return (
    <p className="mt-6 text-center text-ink-2 text-read">
      Not {me.person.full_name}?{' '}
      <Link {...toSignIn(latestLocation.href)} className="text-link underline underline-offset-2">
        Sign in as somebody else
      </Link>
    </p>
  )
}
