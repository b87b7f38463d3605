import { useQuery } from '@tanstack/react-query'
import { AtSign, CircleCheck, CircleX, Forward, LoaderCircle } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { problemOf } from '../../../api/problem.ts'
import { queries } from '../../../app/queries.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { SettingsLayout } from '../settings-layout.tsx'
import { Box } from './box.tsx'
import { addressQuery, availabilityQuery, ownApi } from './own-data.ts'

export function MailPage() {
  return (
    <SettingsLayout title="Mail address">
      <Mail />
    </SettingsLayout>
  )
}

/** `17 December`: the last day on which mail to an old address arrives. */
const dayOf = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

function Mail() {
  const { data, error, refetch } = useQuery(addressQuery)
  if (error && !data) {
    if (problemOf(error).kind === 'missing')
      return (
        <State icon={AtSign} title="You have no mail address here">
          This installation gives out no addresses, or gave you none.
        </State>
      )
    return <ErrorState error={error} what="Your mail address" onRetry={() => void refetch()} />
  }
  if (!data) return <SkeletonRows rows={2} />
  return (
    <div className="flex flex-col gap-8">
      <Box title="Your address" note="Where mail from outside reaches you.">
        <p className="flex items-center gap-1 px-4 py-3 text-read">
          <span className="min-w-0 break-all font-medium">{data.address}</span>
          <CopyButton text={data.address} label="the address" />
        </p>
      </Box>
      {data.can_rename ? (
        <RenameForm key={data.address} address={data.address} />
      ) : (
        <p className="max-w-190 text-ink-2">
          This address is not on the mail domain of the installation, so it cannot be renamed here.
        </p>
      )}
      {data.forwarding.length > 0 && (
        <Box title="Earlier addresses" note="Nobody else can take them while they forward.">
          <ul className="divide-y divide-line">
            {data.forwarding.map(({ address, forwards_until }) => (
              <li
                key={address}
                className="flex min-h-[var(--ch-row)] flex-wrap items-center gap-x-3 px-4 py-2"
              >
                <Forward size={15} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
                <span className="min-w-0 grow break-all">{address}</span>
                <span className="text-ink-2" title={forwards_until}>
                  forwards until {dayOf(forwards_until)}
                </span>
              </li>
            ))}
          </ul>
        </Box>
      )}
    </div>
  )
}

const pauseMs = 300

/** One field, checked by the server while somebody types. */
function RenameForm({ address }: { readonly address: string }) {
  const canWrite = useCanWrite()
  const domain = address.slice(address.lastIndexOf('@'))
  const [name, setName] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(name), pauseMs)
    return () => clearTimeout(timer)
  }, [name])
  const availability = useQuery({ ...availabilityQuery(asked), enabled: asked !== '' })
  const form = useForm(
    async ({ name: wanted = '' }) =>
      (await ownApi.acting(newAction()).mailboxes.renameAddress({ body: { name: wanted } })).body,
    ({ address: now, forwarding_from, forwards_until }) => {
      say(`Your address is ${now}`, { note: `${forwarding_from} forwards until ${dayOf(forwards_until)}.` })
      void queries.invalidateQueries({ queryKey: ['mail-address'] })
      void queries.invalidateQueries({ queryKey: ['me'] })
    },
  )
  const isSettled = asked === name && !availability.isFetching
  const refused = isSettled && availability.isError ? problemOf(availability.error) : undefined
  const sentWrong = errorOf(form.problem, 'name')
  return (
    <Box title="Rename it" note="At once. Mail to the old address is forwarded for 30 days.">
      <form onSubmit={form.onSubmit} className="flex max-w-120 flex-col gap-3 p-4" noValidate>
        <Field
          label={`New name, before ${domain}`}
          name="name"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={sentWrong}
        />
        <p role="status" className="min-h-5">
          {name === '' ? (
            <span className="text-ink-3">It is checked while you type.</span>
          ) : !isSettled ? (
            <Word icon={LoaderCircle} tone="text-ink-2">
              Checking
            </Word>
          ) : refused ? (
            <Word icon={CircleX} tone="text-bad">
              {refused.text.replace(/^name: /, '')}
            </Word>
          ) : availability.data?.available ? (
            <Word icon={CircleCheck} tone="text-ok">
              {availability.data.name}@{availability.data.domain} is free
            </Word>
          ) : (
            <Word icon={CircleX} tone="text-bad">
              {name}
              {domain} is not available
            </Word>
          )}
        </p>
        <FormError problem={sentWrong === undefined ? form.problem : undefined} />
        <Button
          type="submit"
          look="primary"
          className="self-start"
          busy={form.isBusy}
          disabled={!canWrite || name === ''}
        >
          Rename
        </Button>
      </form>
    </Box>
  )
}

interface WordProps {
  readonly icon: typeof CircleCheck
  readonly tone: 'text-ok' | 'text-bad' | 'text-ink-2'
  readonly children: ReactNode
}

function Word({ icon: Icon, tone, children }: WordProps) {
  return (
    <span className={`flex items-start gap-1.5 ${tone}`}>
      <Icon size={15} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0 break-words">{children}</span>
    </span>
  )
}
