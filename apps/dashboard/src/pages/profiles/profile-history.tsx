import type { CoderProfile, ProfileChange, Setting } from '@crewhall/contracts/profiles/coder-profiles.ts'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useBrand } from '../../app/session.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Paging } from '../../ui/paging.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { ValueChange } from '../../ui/value-change.tsx'
import { historyQuery, historySize, namesQuery } from './profile-data.ts'

const fieldWords: Readonly<Record<Setting, string>> = {
  model: 'model',
  effort: 'effort',
  limit_value: 'guard',
}

export function ProfileHistory({ profile }: { readonly profile: CoderProfile }) {
  const { cursor } = useSearch({ strict: false })
  const { data, error, refetch } = useQuery(historyQuery(profile.key, cursor))
  const last = data?.at(-1)
  return (
    <section aria-label="History">
      <h2 className="mb-3 font-semibold text-section">History</h2>
      {error && !data ? (
        <ErrorState error={error} what="The history" onRetry={() => void refetch()} />
      ) : (
        <div className="rounded-card border border-line bg-surface">
          {data === undefined ? (
            <SkeletonRows rows={2} />
          ) : data.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">Nobody has changed it.</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((change) => (
                <Change key={change.id} change={change} profile={profile} />
              ))}
            </ul>
          )}
        </div>
      )}
      <Paging
        first={cursor === undefined ? undefined : {}}
        next={data?.length === historySize && last ? { cursor: String(last.id) } : undefined}
      />
    </section>
  )
}

function Change({ change, profile }: { readonly change: ProfileChange; readonly profile: CoderProfile }) {
  const { data: people } = useQuery(namesQuery(useBrand().brand_id))
  const now = useNow()
  const { actor_user_id: id, field, old_value, new_value, created_at, actor_role } = change
  const person = people?.find(({ user_id }) => user_id === id)
  const name = person?.name ?? (actor_role === 'platform_admin' ? 'A platform admin' : `Person ${id}`)
  const initial = profile.platform_defaults[field] ?? 'platform default'
  return (
    <li className="flex gap-3 px-4 py-2.5">
      <Avatar name={name} id={String(id)} kind="person" image={person?.photo ?? null} />
      <div className="min-w-0 grow">
        <p className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 break-words">
            <span className="font-medium">{name}</span> {new_value === null ? 'reset' : 'set'}{' '}
            {fieldWords[field]}
          </span>
          <time dateTime={created_at} title={created_at} className="shrink-0 text-ink-2 text-meta">
            {whenTold(created_at, now)}
          </time>
        </p>
        <ValueChange from={old_value ?? initial} to={new_value ?? initial} />
      </div>
    </li>
  )
}
