import {
  type CoderProfile,
  effortChoices,
  modelChoices,
  type Setting,
} from '@crewhall/contracts/profiles/coder-profiles.ts'
import { useMutation } from '@tanstack/react-query'
import { ChevronDown, LockKeyhole, Package, RotateCcw, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { problemOf } from '../../api/problem.ts'
import { useBrand } from '../../app/session.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Frame } from '../../ui/table.tsx'
import { sayFailed } from '../../ui/toast.tsx'
import { profilesApi, readProfilesAgain } from './profile-data.ts'

interface Row {
  readonly field: Setting
  readonly label: string
  readonly value: string | null
  readonly initial: string | null
  readonly choices?: readonly string[]
}

const rowsOf = ({ model, effort, limits, platform_defaults: initial }: CoderProfile): readonly Row[] => [
  { field: 'model', label: 'Model', value: model, initial: initial.model, choices: modelChoices },
  { field: 'effort', label: 'Effort', value: effort, initial: initial.effort, choices: effortChoices },
  {
    field: 'limit_value',
    label: limits.max_steps === null ? 'Turn guard' : 'Step guard',
    value: asText(limits.max_turns ?? limits.max_steps),
    initial: asText(initial.limit_value),
  },
]

const asText = (value: number | null): string | null => (value === null ? null : String(value))

const controlClass =
  'h-[var(--ch-control)] w-full min-w-0 rounded-control border border-line-control bg-surface px-2 font-mono text-ink text-meta disabled:text-ink-off'

export function ProfileSettings({ profile }: { readonly profile: CoderProfile }) {
  return (
    <Frame>
      <table className="w-full table-fixed max-md:block">
        <thead className="max-md:hidden">
          <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
            <th className="w-28 px-4 font-medium">Setting</th>
            <th className="w-52 px-4 font-medium">Builds get</th>
            <th className="px-4 font-medium">Set by</th>
            <th className="px-4 font-medium">Platform default</th>
            <th className="w-36 px-4">
              <span className="sr-only">Reset</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {rowsOf(profile).map((row) => (
            <SettingRow key={row.field} profile={profile} row={row} />
          ))}
          <SettingCells
            label="Time limit"
            value={minutesOf(profile.limits.wall_minutes)}
            source="platform"
            initial={minutesOf(profile.limits.wall_minutes)}
            end={
              <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-ink-2">
                <LockKeyhole size={13} aria-hidden />
                Platform only
              </span>
            }
          />
        </tbody>
      </table>
    </Frame>
  )
}

const minutesOf = (minutes: number | null): string => (minutes === null ? "the desk's own" : `${minutes} min`)

/** The server knows which profile takes which setting; its words stand below the one it refused. */
function SettingRow({ profile, row }: { readonly profile: CoderProfile; readonly row: Row }) {
  const { isAdmin } = useBrand()
  const canWrite = useCanWrite()
  const { field, label, value, initial, choices } = row
  const { key } = profile
  const change = useMutation({
    mutationFn: (next: string) =>
      profilesApi.acting(newAction()).profiles.changeProfile({
        params: { key },
        body: { [field]: field === 'limit_value' ? Number(next) : next },
      }),
    onSuccess: readProfilesAgain,
  })
  const reset = useMutation({
    mutationFn: () =>
      profilesApi.acting(newAction()).profiles.resetProfileSetting({ params: { key, field } }),
    onSuccess: () => {
      change.reset()
      readProfilesAgain()
    },
    onError: (error) => sayFailed(`${label} was not reset`, error),
  })
  const isBusy = change.isPending || reset.isPending
  // Where the platform sets nothing there is nothing to change.
  const isOpen = isAdmin && initial !== null
  return (
    <SettingCells
      label={label}
      value={
        isOpen ? (
          <>
            {choices ? (
              <span className="relative block">
                <select
                  aria-label={label}
                  value={value ?? ''}
                  disabled={isBusy || !canWrite}
                  onChange={(event) => change.mutate(event.target.value)}
                  className={`${controlClass} appearance-none pr-7`}
                >
                  {[...new Set([...(value === null ? [] : [value]), ...choices])].map((each) => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
                <ChevronDown
                  size={14}
                  className="pointer-events-none absolute inset-y-0 right-2 my-auto text-ink-2"
                  aria-hidden
                />
              </span>
            ) : (
              <Guard
                key={value}
                label={label}
                value={value ?? ''}
                most={initial}
                isBusy={isBusy || !canWrite}
                onSave={(next) => change.mutate(next)}
              />
            )}
            {change.isError && (
              <p role="alert" className="mt-1 text-bad text-meta">
                {problemOf(change.error).text}
              </p>
            )}
          </>
        ) : (
          <span className="font-mono text-meta">{value ?? nothingWords[field]}</span>
        )
      }
      source={profile.sources[field]}
      initial={initial ?? nothingWords[field]}
      end={
        isAdmin &&
        profile.sources[field] === 'brand' && (
          <Button
            size="s"
            busy={reset.isPending}
            disabled={!canWrite}
            aria-label={`Reset ${label}`}
            onClick={() => reset.mutate()}
          >
            <RotateCcw size={13} aria-hidden />
            Reset
          </Button>
        )
      }
    />
  )
}

const nothingWords: Readonly<Record<Setting, string>> = {
  model: "the coder's or card's own",
  effort: "the coder's own",
  limit_value: 'no guard',
}

interface CellsProps {
  readonly label: string
  readonly value: ReactNode
  readonly source: 'platform' | 'brand'
  readonly initial: string
  readonly end: ReactNode
}

function SettingCells({ label, value, source, initial, end }: CellsProps) {
  return (
    <tr className="h-13 max-md:block max-md:h-auto max-md:px-4 max-md:py-3">
      <th scope="row" className="px-4 text-left font-semibold max-md:block max-md:px-0 max-md:pb-1">
        {label}
      </th>
      <td className="px-4 py-2 max-md:block max-md:p-0">{value}</td>
      <td className="px-4 max-md:inline-block max-md:px-0 max-md:pt-2 max-md:pr-3">
        {source === 'brand' ? (
          <Pill tone="live" icon={Users}>
            Workspace
          </Pill>
        ) : (
          <Pill tone="idle" icon={Package}>
            Platform
          </Pill>
        )}
      </td>
      <td className="px-4 font-mono text-ink-2 text-meta max-md:inline-block max-md:px-0">
        <span className="font-sans md:hidden">default </span>
        {initial}
      </td>
      <td className="px-4 text-right max-md:inline-block max-md:px-0 max-md:pl-3">{end}</td>
    </tr>
  )
}

interface GuardProps {
  readonly label: string
  readonly value: string
  readonly most: string
  readonly isBusy: boolean
  readonly onSave: (value: string) => void
}

function Guard({ label, value, most, isBusy, onSave }: GuardProps) {
  const [typed, setTyped] = useState(value)
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== value && !isBusy) onSave(typed)
      }}
    >
      <span className="relative min-w-0 grow">
        <input
          aria-label={label}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className={controlClass}
        />
        <span className="pointer-events-none absolute inset-y-0 right-2 flex items-center text-ink-2 text-meta">
          1 to {most}
        </span>
      </span>
      {typed !== value && (
        <Button size="s" type="submit" disabled={isBusy}>
          Save
        </Button>
      )}
    </form>
  )
}
