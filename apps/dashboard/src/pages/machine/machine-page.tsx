import type { Desk, OnboardingStep } from '@crewhall/contracts/fleet/desk.ts'
import * as workstations from '@crewhall/contracts/fleet/workstations.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { type FeatureSwitch, heldBy } from '@crewhall/contracts/workspaces/features.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import {
  Check,
  CircleCheck,
  LoaderCircle,
  LockKeyhole,
  type LucideIcon,
  Moon,
  Pause,
  Server,
  Unplug,
  X,
} from 'lucide-react'
import { apiOf } from '../../api/api.ts'
import { useFeature, useSwitchFeature } from '../../app/features.ts'
import { useBrand } from '../../app/session.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, FeatureOff, SkeletonRows } from '../../ui/states.tsx'

const api = apiOf({ fleet: routesIn(workstations) })

/** A machine as the API tells it: its state, and how far its installation is. */
export function MachinePage() {
  const { id = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({
    queryKey: ['desk', id],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).fleet.getDesk({ params: { workstation_id: id } })).body,
  })
  const feature = useFeature('machines')
  return (
    <Page title={data?.name ?? 'Machine'}>
      {feature && !feature.on ? (
        <MachinesOff feature={feature} />
      ) : error && !data ? (
        <ErrorState error={error} what="The machine" onRetry={() => void refetch()} />
      ) : data ? (
        <Machine desk={data} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  )
}

function MachinesOff({ feature }: { readonly feature: FeatureSwitch }) {
  const { isAdmin } = useBrand()
  const canWrite = useCanWrite()
  const change = useSwitchFeature()
  const count = feature.holds[heldBy.machines] ?? 0
  return (
    <FeatureOff
      name="Machines"
      icon={Server}
      isLocked={feature.locked_by_plan}
      holds={
        count === 0
          ? 'There are no desks.'
          : count === 1
            ? 'Its desk is kept and keeps running.'
            : `Its ${count} desks are kept and keep running.`
      }
      action={
        isAdmin && (
          <Button
            look="primary"
            disabled={!canWrite}
            busy={change.isPending}
            onClick={() => change.mutate({ key: 'machines', on: true })}
          >
            Switch on
          </Button>
        )
      }
    />
  )
}

const states: Readonly<Record<Desk['status'], readonly [string, LucideIcon, string]>> = {
  provisioning: ['Joining', LoaderCircle, 'text-live'],
  ready: ['Ready', CircleCheck, 'text-ok'],
  unreachable: ['Unreachable', Unplug, 'text-bad'],
  suspended: ['Paused', Pause, 'text-idle'],
}

function Machine({ desk }: { readonly desk: Desk }) {
  const [word, Icon, tone] = desk.dormant ? (['Dormant', Moon, 'text-idle'] as const) : states[desk.status]
  const facts = [
    ['Runtime', desk.runtime.replaceAll('_', ' ')],
    ['Region', desk.region ?? '–'],
    ['For', desk.description || '–'],
    ['Id', desk.workstation_id],
  ] as const
  return (
    <div className="flex w-full max-w-[1120px] flex-col gap-5 px-4 py-5 md:px-8 md:py-6">
      <p className={classNames('flex items-center gap-2 font-medium text-section', tone)}>
        <Icon size={18} strokeWidth={1.75} aria-hidden />
        {word}
        {desk.dormant && (
          <span className="font-normal text-ink-2 text-ui">not heard from for more than two weeks</span>
        )}
      </p>
      <section className="flex flex-col gap-2">
        <h2 className="font-semibold">Installation</h2>
        <ol className="divide-y divide-line rounded-card border border-line bg-surface">
          {desk.onboarding_steps.map((step) => (
            <Step key={step.key} step={step} />
          ))}
        </ol>
      </section>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 rounded-card border border-line bg-surface px-4 py-3">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd
              className={classNames('break-words', name === 'Id' && 'break-all font-mono text-meta')}
              dir="auto"
            >
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const steps: Readonly<Record<OnboardingStep['state'], readonly [string, LucideIcon, string]>> = {
  done: ['Done', Check, 'text-ok'],
  pending: ['Waits', LoaderCircle, 'text-live'],
  failed: ['Failed', X, 'text-bad'],
  blocked: ['Starts after the step before', LockKeyhole, 'text-ink-2'],
}

function Step({ step }: { readonly step: OnboardingStep }) {
  const [word, Icon, tone] = steps[step.state]
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <Icon size={16} strokeWidth={1.75} className={classNames('mt-0.5 shrink-0', tone)} aria-hidden />
      <span className="min-w-0 grow">
        <span className="block font-medium">{step.title}</span>
        {step.hint !== null && <span className="block break-words text-ink-2">{step.hint}</span>}
      </span>
      <span className={classNames('shrink-0 text-meta', tone)}>{word}</span>
    </li>
  )
}
