import {
  type BuildSettings,
  deskCeilingMinutes,
  deskLimitMinutes,
} from '@crewhall/contracts/profiles/build-settings.ts'
import { type Coder, type CoderProfile, coders } from '@crewhall/contracts/profiles/coder-profiles.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Select } from '../../ui/select.tsx'
import { errorOf } from '../../ui/use-form.ts'
import { coderWords, guardOf, profilesApi } from './profile-data.ts'

interface Desk {
  readonly coder: Coder
  readonly limit_minutes: number
  readonly ceiling_minutes: number
}

/** What a build of a card that names this profile would start with; the server works it out, and starts nothing. */
export function BuildPreview({ profile }: { readonly profile: CoderProfile }) {
  const [desk, setDesk] = useState<Desk>({
    coder: profile.coder,
    limit_minutes: deskLimitMinutes,
    ceiling_minutes: deskCeilingMinutes,
  })
  const { data, error } = useQuery({
    queryKey: ['profiles', profile.key, 'preview', profile.version, desk],
    queryFn: async ({ signal }) =>
      (
        await profilesApi
          .reading(signal)
          .profiles.previewBuild({ body: { agent_context: { profile: profile.key }, desk } })
      ).body,
    placeholderData: keepPreviousData,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const numberOf = (name: string) => Number(values.get(name))
    setDesk({
      ...desk,
      limit_minutes: numberOf('limit_minutes'),
      ceiling_minutes: numberOf('ceiling_minutes'),
    })
  }
  const problem = error ? problemOf(error) : undefined
  const errors = {
    limit: errorOf(problem, 'desk.limit_minutes'),
    ceiling: errorOf(problem, 'desk.ceiling_minutes'),
  }
  return (
    <section aria-label="Build preview" className="mt-6">
      <h2 className="mb-1 font-semibold text-section">What a build gets</h2>
      <p className="mb-3 text-ink-2">
        As a card with this profile would start now on such a desk. Nothing is started.
      </p>
      <div className="grid gap-4 rounded-card border border-line bg-surface p-4 md:grid-cols-2">
        <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
          <Select
            label="Coder of the desk"
            value={desk.coder}
            options={coders.map((value) => ({ value, word: coderWords[value] }))}
            onChange={(event) => setDesk({ ...desk, coder: event.target.value as Coder })}
          />
          <div className="grid grid-cols-2 gap-3">
            <Field
              label="Limit, minutes"
              name="limit_minutes"
              inputMode="numeric"
              defaultValue={String(deskLimitMinutes)}
              error={errors.limit}
            />
            <Field
              label="Ceiling, minutes"
              name="ceiling_minutes"
              inputMode="numeric"
              defaultValue={String(deskCeilingMinutes)}
              error={errors.ceiling}
            />
          </div>
          <FormError problem={(errors.limit ?? errors.ceiling) ? undefined : problem} />
          <Button type="submit" className="self-start">
            Preview
          </Button>
        </form>
        {data && !problem && <Preview settings={data} />}
      </div>
    </section>
  )
}

const skippedWords: Readonly<Record<NonNullable<BuildSettings['skipped']>, string>> = {
  not_named: 'The card names no profile.',
  not_found: 'There is no such profile, or its coder is switched off.',
  other_coder: 'The desk runs another coder, so the profile does not apply.',
  unreadable: 'The profile could not be read.',
}

function Preview({ settings }: { readonly settings: BuildSettings }) {
  const { model, effort, limits, env, skipped, profile_version } = settings
  return (
    <div aria-live="polite">
      {skipped !== null && (
        <p className="mb-2 text-warn">{skippedWords[skipped]} The build goes on without it.</p>
      )}
      <Facts>
        <Fact name="Model">
          <code className="text-meta">{model ?? 'its own'}</code>
        </Fact>
        <Fact name="Effort">
          <code className="text-meta">{effort ?? 'its own'}</code>
        </Fact>
        <Fact name="Guard">{guardOf({ limits })}</Fact>
        <Fact name="Time">{limits.wall_minutes} min</Fact>
        {env !== null && (
          <Fact name="Environment">
            <code className="break-all text-meta">
              {Object.entries(env)
                .map(([name, value]) => `${name}=${value}`)
                .join(' ')}
            </code>
          </Fact>
        )}
        <Fact name="Version">
          <code className="break-all text-meta">{profile_version ?? '–'}</code>
        </Fact>
      </Facts>
    </div>
  )
}
