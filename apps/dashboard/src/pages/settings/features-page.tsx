import { type FeatureKey, type FeatureSwitch, heldBy } from '@crewhall/contracts/workspaces/features.ts'
import { LockKeyhole, type LucideIcon, Newspaper, Package, Server, Users } from 'lucide-react'
import { useState } from 'react'
import { useFeatures, useSwitchFeature } from '../../app/features.ts'
import { useBrand } from '../../app/session.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { SettingsLayout } from './settings-layout.tsx'

interface Told {
  readonly title: string
  readonly text: string
  readonly icon: LucideIcon
  /** One of what it holds, and several. */
  readonly held: readonly [string, string]
}

const texts: Readonly<Record<FeatureKey, Told>> = {
  machines: { title: 'Machines', text: 'Desks where agents build.', icon: Server, held: ['desk', 'desks'] },
  skills: {
    title: 'Skills',
    text: 'Packages that give agents tools.',
    icon: Package,
    held: ['installed package', 'installed packages'],
  },
  feed: {
    title: 'Feed',
    text: 'News from outside, sorted for the team.',
    icon: Newspaper,
    held: ['feed source', 'feed sources'],
  },
  crm: { title: 'CRM', text: 'Customers and deals on boards.', icon: Users, held: ['board', 'boards'] },
}
const order = Object.keys(texts) as readonly FeatureKey[]

export function FeaturesPage() {
  const { name } = useBrand()
  return (
    <SettingsLayout title="Features">
      <p className="mb-4 text-ink-2">
        Switching a feature off hides it for everyone in {name}. It deletes nothing.
      </p>
      <Features />
    </SettingsLayout>
  )
}

function Features() {
  const { data, error, refetch } = useFeatures()
  if (error && !data) return <ErrorState error={error} what="The features" onRetry={() => void refetch()} />
  return (
    <div className="max-w-190 overflow-hidden rounded-card border border-line bg-surface">
      {data ? (
        <ul className="divide-y divide-line">
          {order.map((key) => (
            <Feature key={key} name={key} feature={data.switches[key]} />
          ))}
        </ul>
      ) : (
        <SkeletonRows rows={order.length} />
      )}
    </div>
  )
}

function Feature({ name, feature }: { readonly name: FeatureKey; readonly feature: FeatureSwitch }) {
  const canWrite = useCanWrite()
  const { isAdmin, name: workspace } = useBrand()
  const [isAsking, setAsking] = useState(false)
  const change = useSwitchFeature()
  const now = useNow()
  const { title, text, icon: Icon, held } = texts[name]
  const count = feature.holds[heldBy[name]] ?? 0
  const things = `${count} ${held[count === 1 ? 0 : 1]}`
  const turn = (on: boolean) => change.mutate({ key: name, on }, { onSuccess: () => setAsking(false) })
  return (
    <li className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-4 py-4">
      <span className="flex size-8 shrink-0 items-center justify-center self-center rounded-control bg-sunken text-ink-2">
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </span>
      <div className="min-w-0 grow basis-0">
        <h2 className="font-semibold text-read">{title}</h2>
        <p className="text-ink-2">{text}</p>
        <p className="text-ink-2 text-meta">
          Holds {count === 0 ? 'nothing' : things}. {sourceOf(feature, now)}
        </p>
      </div>
      {feature.locked_by_plan ? (
        <span className="flex shrink-0 items-center gap-1.5 text-ink-2 max-md:basis-full max-md:pl-11.5">
          <LockKeyhole size={14} aria-hidden />
          Not in your plan
        </span>
      ) : isAdmin ? (
        <Switch
          label={title}
          checked={feature.on}
          disabled={change.isPending || !canWrite}
          onChange={(on) => (on || count === 0 ? turn(on) : setAsking(true))}
        />
      ) : (
        <span className="shrink-0 text-ink-2">{feature.on ? 'On' : 'Off'}, admins switch it</span>
      )}
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Switch ${title} off?`}
        consequences={[
          `${title} disappears from the menu for everyone in ${workspace}.`,
          `${things} ${count === 1 ? 'stays as it is and keeps' : 'stay as they are and keep'} working.`,
        ]}
        action="Switch off"
        busy={change.isPending}
        onConfirm={() => turn(false)}
      />
    </li>
  )
}

function sourceOf(
  { on, locked_by_plan, source, changed_by, changed_at }: FeatureSwitch,
  now: number,
): string {
  if (locked_by_plan) return 'Whoever runs this installation can add it.'
  if (changed_by && changed_at)
    return `Switched ${on ? 'on' : 'off'} by ${changed_by.name}, ${whenTold(changed_at, now)}.`
  return source === 'data_default' ? 'On, because it is in use.' : `${on ? 'On' : 'Off'} by your plan.`
}
