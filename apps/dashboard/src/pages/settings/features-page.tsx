import { type FeatureKey, type FeatureSwitch, featureKeys } from '@crewhall/contracts/workspaces/features.ts'
import { LockKeyhole, type LucideIcon, Newspaper, Package, Server, Users } from 'lucide-react'
import { useFeatures, useSwitchFeature } from '../../app/features.ts'
import { useBrand } from '../../app/session.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { SettingsLayout } from './settings-layout.tsx'

const texts: Readonly<Record<FeatureKey, readonly [string, string, LucideIcon]>> = {
  skills: ['Skills', 'Packages of skills, tools and templates that agents use.', Package],
  feed: ['Feed', 'News from sources that the workspace follows.', Newspaper],
  machines: ['Machines', 'Linux machines where agents build.', Server],
  crm: ['CRM', 'Boards for contacts and deals.', Users],
}

export function FeaturesPage() {
  return (
    <SettingsLayout title="Features">
      <p className="mb-4 max-w-160 text-ink-2">
        A feature that is off is hidden here. Nothing is deleted, and the API goes on as before.
      </p>
      <Features />
    </SettingsLayout>
  )
}

function Features() {
  const { data, error, refetch } = useFeatures()
  if (error && !data) return <ErrorState error={error} what="The features" onRetry={() => void refetch()} />
  return (
    <div className="max-w-240 overflow-hidden rounded-card border border-line bg-surface">
      {data ? (
        <ul className="divide-y divide-line">
          {featureKeys.map((key) => (
            <Feature key={key} name={key} feature={data.switches[key]} />
          ))}
        </ul>
      ) : (
        <SkeletonRows rows={featureKeys.length} />
      )}
    </div>
  )
}

function Feature({ name, feature }: { readonly name: FeatureKey; readonly feature: FeatureSwitch }) {
  const { isAdmin } = useBrand()
  const change = useSwitchFeature()
  const now = useNow()
  const [title, text, Icon] = texts[name]
  const holds = Object.values(feature.holds).reduce((sum, count) => sum + count, 0)
  return (
    <li className="flex items-center gap-4 px-4 py-3.5">
      <span className="flex size-9 shrink-0 items-center justify-center rounded-card bg-sunken text-ink-2">
        <Icon size={17} strokeWidth={1.75} aria-hidden />
      </span>
      <div className="min-w-0 grow">
        <h2 className="font-medium text-read">{title}</h2>
        <p className="text-ink-2">
          {text} {holds > 0 ? `Holds ${holds}.` : ''}
        </p>
        <p className="text-ink-3 text-meta">{sourceOf(feature, now)}</p>
      </div>
      {feature.locked_by_plan ? (
        <span className="flex shrink-0 items-center gap-1.5 text-ink-2">
          <LockKeyhole size={14} aria-hidden />
          Not in your plan
        </span>
      ) : (
        <Switch
          label={title}
          checked={feature.on}
          disabled={!isAdmin || change.isPending}
          onChange={(on) => change.mutate({ key: name, on })}
        />
      )}
    </li>
  )
}

function sourceOf({ source, changed_by, changed_at }: FeatureSwitch, now: number): string {
  if (changed_by && changed_at) return `Set by ${changed_by.name}, ${whenTold(changed_at, now)}`
  return source === 'data_default' ? 'On, because it is in use' : 'As the plan has it'
}
