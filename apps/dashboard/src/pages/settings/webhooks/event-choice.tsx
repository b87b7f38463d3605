import { eventTypes } from '@crewhall/contracts/events.ts'
import { CheckRow } from '../../../ui/check-row.tsx'

const families = [...Map.groupBy(eventTypes, (type) => type.slice(0, type.indexOf('.')))]

interface ChoiceProps {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  readonly error: string | undefined
}

/** All events, whole families, or single ones. */
export function EventChoice({ chosen, onChange, error }: ChoiceProps) {
  const turn = (pattern: string, isOn: boolean) =>
    onChange(new Set(isOn ? [...chosen, pattern] : [...chosen].filter((each) => each !== pattern)))
  const box = (pattern: string, isIncluded = false) => (
    <CheckRow
      key={pattern}
      checked={isIncluded || chosen.has(pattern)}
      disabled={isIncluded}
      onChange={(event) => turn(pattern, event.target.checked)}
    >
      <code className="text-meta">{pattern}</code>
    </CheckRow>
  )
  const hasAll = chosen.has('*')
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ui">Events</legend>
      <CheckRow
        checked={hasAll}
        onChange={(event) => turn('*', event.target.checked)}
        note="Also those that later versions bring."
      >
        All events
      </CheckRow>
      {!hasAll && (
        <ul className="mt-1 max-h-60 divide-y divide-line overflow-y-auto rounded-card border border-line">
          {families.map(([family, types]) => (
            <li key={family} className="px-3 py-1">
              {box(`${family}.*`)}
              <details className="pl-6" open={types.some((type) => chosen.has(type))}>
                <summary className="w-fit cursor-pointer rounded-tag text-ink-2 text-meta">
                  {types.length === 1 ? 'The event' : `Single ones of ${types.length}`}
                </summary>
                {types.map((type) => box(type, chosen.has(`${family}.*`)))}
              </details>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <p role="alert" className="mt-1 text-bad text-meta">
          {error}
        </p>
      )}
    </fieldset>
  )
}
