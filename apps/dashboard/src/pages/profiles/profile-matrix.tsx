import { type Coder, type CoderProfile, tiers } from '@crewhall/contracts/profiles/coder-profiles.ts'
import type { CoderAvailability } from '@crewhall/contracts/profiles/coders.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { toProfile } from '../../app/paths.ts'
import { useBrand } from '../../app/session.ts'
import { useCanWrite } from '../../live/live.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Frame } from '../../ui/table.tsx'
import { sayFailed } from '../../ui/toast.tsx'
import { coderWords, guardOf, isChanged, profilesApi, readProfilesAgain, tierWords } from './profile-data.ts'

interface MatrixProps {
  readonly profiles: readonly CoderProfile[]
  readonly coders: readonly CoderAvailability[]
  readonly chosen: string | undefined
}

export function ProfileMatrix({ profiles, coders, chosen }: MatrixProps) {
  const of = (coder: Coder, tier: string) =>
    profiles.find((profile) => profile.coder === coder && profile.key.endsWith(`.${tier}`))
  return (
    <>
      <Frame>
        <table className="w-full table-fixed max-md:block">
          <thead className="max-md:hidden">
            <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
              <th className="w-40 px-4 font-medium">Coder</th>
              {tiers.map((tier) => (
                <th key={tier} className="border-line border-l px-3 font-medium">
                  {tierWords[tier]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line max-md:block">
            {coders.map(({ coder, available }) => (
              <tr key={coder} className="max-md:block">
                <th
                  scope="row"
                  className="h-11.5 px-4 text-left font-semibold max-md:flex max-md:items-center max-md:bg-sunken"
                >
                  <CoderSwitch coder={coder} isOn={available} />
                </th>
                {available ? (
                  tiers.map((tier) => (
                    <Cell key={tier} tier={tierWords[tier]} profile={of(coder, tier)} chosen={chosen} />
                  ))
                ) : (
                  <td
                    colSpan={tiers.length}
                    className="border-line border-l px-3 text-ink-2 max-md:block max-md:border-0 max-md:px-4 max-md:py-2"
                  >
                    Switched off. Its settings are kept.
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Frame>
      <p className="mt-2 flex items-center gap-2 px-1 text-ink-2 text-meta">
        <span className="size-1.5 rounded-full bg-live-mark" aria-hidden />
        changed by your workspace
      </p>
    </>
  )
}

interface CellProps {
  readonly tier: string
  readonly profile: CoderProfile | undefined
  readonly chosen: string | undefined
}

function Cell({ tier, profile, chosen }: CellProps) {
  const isChosen = profile !== undefined && profile.key === chosen
  return (
    <td
      className={classNames(
        'relative border-line border-l px-3 py-1 max-md:block max-md:border-0 max-md:px-4 max-md:py-2',
        isChosen ? 'bg-selected outline-2 outline-focus -outline-offset-2' : 'hover:bg-hover',
      )}
    >
      {profile && (
        <Link
          {...toProfile(profile.key)}
          aria-current={isChosen || undefined}
          className="block after:absolute after:inset-0"
        >
          <span className="sr-only">{profile.key}: </span>
          <span className="text-ink-2 md:hidden">{tier}: </span>
          <span className="break-words">{headOf(profile)}</span>
          {isChanged(profile) && (
            <span className="ml-2 inline-block size-1.5 rounded-full bg-live-mark align-middle">
              <span className="sr-only">, changed here, </span>
            </span>
          )}
          <span className="block text-ink-2 text-meta">{restOf(profile)}</span>
        </Link>
      )}
    </td>
  )
}

const headOf = ({ model }: CoderProfile): string => model ?? 'its own model'
const restOf = (profile: CoderProfile): string =>
  [...(profile.effort === null ? [] : [profile.effort]), guardOf(profile)].join(', ')

function CoderSwitch({ coder, isOn }: { readonly coder: Coder; readonly isOn: boolean }) {
  const { isAdmin } = useBrand()
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const change = useMutation({
    mutationFn: (available: boolean) =>
      profilesApi.acting(newAction()).profiles.changeCoder({ params: { coder }, body: { available } }),
    onSuccess: () => {
      setAsking(false)
      readProfilesAgain()
    },
    onError: (error) => sayFailed(`${coderWords[coder]} was not switched`, error),
  })
  return (
    <span className="flex items-center justify-between gap-2 max-md:grow">
      {coderWords[coder]}
      {isAdmin && (
        <Switch
          label={`${coderWords[coder]} may be used`}
          checked={isOn}
          disabled={change.isPending || !canWrite}
          onChange={(on) => (on ? change.mutate(true) : setAsking(true))}
        />
      )}
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Switch ${coderWords[coder]} off?`}
        consequences={[
          'Its profiles cannot be used until it is on again.',
          'Their settings are kept and apply again then.',
        ]}
        action="Switch off"
        busy={change.isPending}
        onConfirm={() => change.mutate(false)}
      />
    </span>
  )
}
