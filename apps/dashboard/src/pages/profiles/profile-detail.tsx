import type { CoderProfile } from '@crewhall/contracts/profiles/coder-profiles.ts'
import { BuildPreview } from './build-preview.tsx'
import { ProfileHistory } from './profile-history.tsx'
import { ProfileSettings } from './profile-settings.tsx'

export function ProfileDetail({ profile }: { readonly profile: CoderProfile }) {
  return (
    <div className="mt-6 grid items-start gap-6 max-md:mt-0 min-[1100px]:grid-cols-[1fr_25rem]">
      <div className="min-w-0">
        <h2 className="flex flex-wrap items-baseline gap-x-2 font-mono font-semibold text-page">
          {profile.key}
          <span
            className="font-normal text-ink-2 text-meta"
            title="The same settings have the same version everywhere"
          >
            {profile.version}
          </span>
        </h2>
        <p className="mb-3 text-ink-2">{purposeOf(profile)}</p>
        <ProfileSettings profile={profile} />
        <p className="mt-3 text-ink-2">
          <strong className="font-semibold text-ink">Why the platform chose this:</strong> {profile.reason}
        </p>
        <BuildPreview profile={profile} />
      </div>
      <ProfileHistory profile={profile} />
    </div>
  )
}

/** Kinds of work by name, or a sentence of the platform's own. */
function purposeOf({ recommended_for }: CoderProfile): string {
  const text = recommended_for.join(', ')
  return text.endsWith('.') ? text : `For ${text}.`
}
