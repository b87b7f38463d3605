import * as mail from '@crewhall/contracts/inbox/mail.ts'
import { type InboxMailMode, inboxMailModes } from '@crewhall/contracts/inbox/mail.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import { newAction } from '../../api/own-fetch.ts'
import { queries } from '../../app/queries.ts'
import { useBrand, useMe } from '../../app/session.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Select } from '../../ui/select.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { sayFailed } from '../../ui/toast.tsx'
import { SettingsLayout } from './settings-layout.tsx'

const api = apiOf({ inbox: routesIn(mail) })

const mailQuery = queryOptions({
  queryKey: ['inbox-mail'],
  queryFn: async ({ signal }) => (await api.reading(signal).inbox.getInboxMail()).body,
})

const words: Readonly<Record<InboxMailMode, readonly [string, string]>> = {
  off: ['Off', 'The inbox waits in the dashboard.'],
  at_once: ['At once', 'Within minutes, and never more than one letter in a quarter of an hour.'],
  daily: ['Once a day', 'What is new and unread, at an hour that you choose.'],
}

export function NotificationsPage() {
  return (
    <SettingsLayout title="Notifications">
      <ByMail />
    </SettingsLayout>
  )
}

function ByMail() {
  const { data, error, refetch } = useQuery(mailQuery)
  const { name } = useBrand()
  const { person } = useMe()
  const canWrite = useCanWrite()
  const now = useNow()
  const change = useMutation({
    mutationFn: async (body: { readonly mode: InboxMailMode; readonly hour: number }) =>
      (await api.acting(newAction()).inbox.changeInboxMail({ body })).body,
    onSuccess: (changed) => queries.setQueryData(mailQuery.queryKey, changed),
    onError: (failed) => sayFailed('The setting was not changed', failed),
  })
  if (error && !data) return <ErrorState error={error} what="The setting" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  const { mode, hour } = change.isPending ? change.variables : data
  return (
    <fieldset className="flex max-w-160 flex-col gap-4" disabled={!canWrite}>
      <legend className="mb-1 font-semibold text-section">Inbox by mail</legend>
      <p className="text-ink-2">
        Letters go to {person.email}. They name what is unread in your inbox of {name} by its title, and hold
        no other text.
      </p>
      <div className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface">
        {inboxMailModes.map((each) => (
          <label
            key={each}
            className={classNames('flex items-start gap-3 px-4 py-3', canWrite && 'hover:bg-hover')}
          >
            <input
              type="radio"
              name="mode"
              className="mt-1 accent-ink"
              checked={each === mode}
              onChange={() => change.mutate({ mode: each, hour })}
            />
            <span>
              <span className="block font-medium">{words[each][0]}</span>
              <span className="block text-ink-2">{words[each][1]}</span>
            </span>
          </label>
        ))}
      </div>
      {mode === 'daily' && (
        <div className="max-w-80">
          <Select
            label="Hour of the day"
            value={String(hour)}
            options={hours(now)}
            onChange={(event) => change.mutate({ mode, hour: Number(event.target.value) })}
          />
        </div>
      )}
      <p className="text-ink-2 text-meta">
        {data.sent_at === null
          ? 'No letter has been sent yet.'
          : `The last letter was sent ${whenTold(data.sent_at, now)}.`}
      </p>
    </fieldset>
  )
}

/** The server counts in UTC; people read the hour of their own clock beside it. */
function hours(now: number) {
  return Array.from({ length: 24 }, (_, hour) => {
    const at = new Date(now)
    at.setUTCHours(hour, 0, 0, 0)
    const own = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    const utc = `${String(hour).padStart(2, '0')}:00`
    return { value: String(hour), word: own === utc ? `${utc} UTC` : `${own} your time, ${utc} UTC` }
  })
}
