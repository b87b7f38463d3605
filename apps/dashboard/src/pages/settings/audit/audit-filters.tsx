import type { Member } from '@crewhall/contracts/workspaces/members.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { buttonClass } from '../../../ui/button.tsx'
import { SmallSelect } from '../../../ui/select.tsx'
import type { AuditFilter } from './audit-page.tsx'

interface FiltersProps {
  readonly filter: AuditFilter
  readonly people: readonly Member[]
  /** Proposals; any other can be typed. */
  readonly actions: readonly string[]
}

const controlClass =
  'h-[var(--ch-control)] rounded-control border border-line-control bg-surface px-2 text-ui text-ink max-md:min-w-0 max-md:grow'

/** Who and what, in the address: it can be sent to somebody, and the way back undoes it. */
export function AuditFilters({ filter, people, actions }: FiltersProps) {
  const navigate = useNavigate()
  const id = useId()
  const [typed, setTyped] = useState(filter.action ?? '')
  useEffect(() => setTyped(filter.action ?? ''), [filter.action])
  const change = (next: AuditFilter) =>
    void navigate({
      to: '.',
      search: {
        ...(next.actor ? { actor: next.actor } : {}),
        ...(next.action ? { action: next.action } : {}),
      },
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ ...filter, action: typed.trim() })
  }
  const isKnown = filter.actor === undefined || people.some(({ user_id }) => String(user_id) === filter.actor)
  return (
    <form onSubmit={submit} className="mb-3 flex flex-wrap items-center gap-2" aria-label="Filter">
      <SmallSelect
        label="Who"
        width="w-44 max-md:w-full"
        value={filter.actor ?? ''}
        onChange={(event) => change({ ...filter, actor: event.target.value })}
        options={[
          { value: '', word: 'Anyone' },
          ...(isKnown ? [] : [{ value: filter.actor ?? '', word: `Person ${filter.actor}` }]),
          ...people.map(({ user_id, name }) => ({ value: String(user_id), word: name })),
        ]}
      />
      <input
        aria-label="Action"
        placeholder="Any action, such as feature.changed"
        value={typed}
        list={id}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        className={`${controlClass} w-72 font-mono text-meta placeholder:font-sans placeholder:text-ink-3`}
      />
      <datalist id={id}>
        {actions.map((action) => (
          <option key={action} value={action} />
        ))}
      </datalist>
      <button type="submit" className={buttonClass({})}>
        Filter
      </button>
      {(filter.actor !== undefined || filter.action !== undefined) && (
        <Link to="." search={{}} className={buttonClass({ look: 'quiet' })}>
          Clear filters
        </Link>
      )}
    </form>
  )
}
