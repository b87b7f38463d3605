import { type FeatureKey, featureKeys } from '@crewhall/contracts/workspaces/features.ts'
import { Link } from '@tanstack/react-router'
import { Check, LockKeyhole } from 'lucide-react'
import { useFeatures } from '../../app/features.ts'
import { paths } from '../../app/paths.ts'
import { useBrand, useMe } from '../../app/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { SettingsLayout } from './settings-layout.tsx'

const names: Readonly<Record<FeatureKey, string>> = {
  machines: 'Machines',
  skills: 'Skills',
  feed: 'Feed',
  crm: 'CRM',
}

/** What the plan includes, and who changes it: the refusal of one desk too many leads here. */
export function PlanPage() {
  const { name } = useBrand()
  const { person } = useMe()
  const { data, error, refetch } = useFeatures()
  return (
    <SettingsLayout title="Plan">
      <p className="mb-4 max-w-190 text-ink-2">
        The plan of {name} decides which features it has and how many desks. Whoever runs this installation
        sets it.
        {!person.is_staff && ' Ask them for another feature or for more desks.'}
      </p>
      {error && !data ? (
        <ErrorState error={error} what="The plan" onRetry={() => void refetch()} />
      ) : (
        <div className="max-w-190 overflow-hidden rounded-card border border-line bg-surface">
          {data ? (
            <ul className="divide-y divide-line">
              {featureKeys.map((key) => (
                <li key={key} className="flex h-[var(--ch-row-2)] items-center gap-3 px-4">
                  <span className="grow font-medium">{names[key]}</span>
                  {data.switches[key].locked_by_plan ? (
                    <span className="flex items-center gap-1.5 text-ink-2">
                      <LockKeyhole size={14} strokeWidth={1.75} aria-hidden />
                      Not in your plan
                    </span>
                  ) : (
                    <span className="flex items-center gap-1.5">
                      <Check size={14} strokeWidth={1.75} className="text-ok" aria-hidden />
                      Included
                    </span>
                  )}
                </li>
              ))}
            </ul>
          ) : (
            <SkeletonRows rows={featureKeys.length} />
          )}
        </div>
      )}
      {person.is_staff && (
        <Link to={paths.platformBrands} className={`mt-4 ${buttonClass({})}`}>
          Change plans of workspaces
        </Link>
      )}
    </SettingsLayout>
  )
}
