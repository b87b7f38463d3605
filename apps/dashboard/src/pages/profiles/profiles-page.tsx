import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { codersQuery, profilesQuery } from './profile-data.ts'
import { ProfileDetail } from './profile-detail.tsx'
import { ProfileMatrix } from './profile-matrix.tsx'

const top = { label: 'Coder profiles', to: paths.profiles }

/** All of them as a table of coders and kinds of work, and below it the one that is chosen. */
export function ProfilesPage() {
  const { key } = useParams({ strict: false })
  return (
    <Page
      title={key ?? 'Coder profiles'}
      {...(key === undefined ? {} : { isCode: true, crumbs: [top], back: top })}
      actions={
        <span className="hidden text-ink-2 text-meta lg:block">
          Changes apply to builds that start after them
        </span>
      }
    >
      <Profiles chosen={key} />
    </Page>
  )
}

function Profiles({ chosen }: { readonly chosen: string | undefined }) {
  const profiles = useQuery(profilesQuery)
  const coders = useQuery(codersQuery)
  const error = profiles.error ?? coders.error
  if (error && !(profiles.data && coders.data))
    return (
      <ErrorState
        error={error}
        what="The coder profiles"
        onRetry={() => {
          void profiles.refetch()
          void coders.refetch()
        }}
      />
    )
  if (!profiles.data || !coders.data) return <SkeletonRows rows={6} />
  const profile = profiles.data.find(({ key }) => key === chosen)
  return (
    <div className="p-4 md:p-5">
      <div className={chosen === undefined ? '' : 'max-md:hidden'}>
        <ProfileMatrix profiles={profiles.data} coders={coders.data} chosen={chosen} />
      </div>
      {profile ? (
        <ProfileDetail key={profile.key} profile={profile} />
      ) : (
        chosen !== undefined && (
          <State icon={SlidersHorizontal} title={`There is no profile ${chosen}`}>
            Its coder may be switched off. Its settings are kept, and apply again when it is switched on.
          </State>
        )
      )}
    </div>
  )
}
