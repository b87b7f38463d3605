import type { Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkerInput } from '@crewhall/contracts/boards/cards.ts'
import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../app/agents.ts'
import { membersApi } from '../app/members-api.ts'
import { useBrand } from '../app/session.ts'
import { type Choice, Picker } from '../ui/choices.tsx'
import { workerKey } from './filters.ts'
import { PropertyButton } from './property.tsx'
import { Face } from './who.tsx'

/** People and agents who can be given work, and nobody; `inputOf` is what a card takes for a choice. */
export function useWorkers(chosen?: Worker | null) {
  const { brand_id } = useBrand()
  const people = useQuery({
    queryKey: ['members', brand_id],
    queryFn: async ({ signal }) =>
      (
        await membersApi
          .reading(signal)
          .workspaces.listMembers({ params: { brand_id }, query: { per_page: '100' } })
      ).body,
  })
  const crew = useQuery(agentsQuery)
  const workers: readonly Worker[] = [
    ...(people.data?.members ?? []).map(
      ({ user_id, name }) => ({ kind: 'member', id: String(user_id), name }) as const,
    ),
    ...(crew.data ?? []).map(({ agent_id, name }) => ({ kind: 'agent', id: agent_id, name }) as const),
  ]
  const choices: readonly Choice[] = [
    { value: 'none', label: 'Nobody', isChosen: chosen === null },
    ...workers.map((worker) => ({
      value: workerKey(worker),
      label: worker.name,
      mark: <Face who={worker} />,
      group: worker.kind === 'member' ? 'People' : 'Agents',
      isChosen: workerKey(worker) === workerKey(chosen ?? null),
    })),
  ]
  const inputOf = (value: string): WorkerInput | null => {
    const worker = workers.find((each) => workerKey(each) === value)
    if (!worker) return null
    return worker.kind === 'member' ? { kind: 'member', id: worker.id } : { ...worker, kind: 'agent' }
  }
  return { workers, choices, inputOf }
}

interface WorkerChoiceProps {
  readonly who: Worker | null
  readonly label: string
  readonly canWrite: boolean
  readonly onChoose: (who: WorkerInput | null) => void
}

export function WorkerChoice({ who, label, canWrite, onChoose }: WorkerChoiceProps) {
  const { choices, inputOf } = useWorkers(who)
  const shown = who ? (
    <span className="flex min-w-0 items-center gap-2">
      <Face who={who} />
      <span className="truncate">{who.name}</span>
    </span>
  ) : (
    <span className="text-ink-2">Nobody</span>
  )
  if (!canWrite) return shown
  return (
    <Picker
      label={label}
      choices={choices}
      onChoose={(value) => onChoose(inputOf(value))}
      none="Nobody is called so."
      trigger={<PropertyButton label={label}>{shown}</PropertyButton>}
    />
  )
}
