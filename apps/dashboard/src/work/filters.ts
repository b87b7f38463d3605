import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'

/** What the address of a board says beside the open card; several values are separated by commas. */
export interface CardFilters {
  readonly q?: string
  /** `me`, `none`, `member:12` or `agent:wren`. */
  readonly assignee?: string
  readonly type?: string
  readonly priority?: string
  readonly label?: string
  readonly ready?: 'true'
}

const filterNames = ['q', 'assignee', 'type', 'priority', 'label', 'ready'] as const
export type FilterName = (typeof filterNames)[number]

/** The filters in an address; whatever else it says is left out. */
export function filtersOf(search: Readonly<Record<string, unknown>>): CardFilters {
  const found = filterNames.map((name) => {
    const value = search[name]
    if (name === 'ready') return [name, value === true || value === 'true' ? 'true' : ''] as const
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    return [name, text.trim().slice(0, 500)] as const
  })
  return Object.fromEntries(found.filter(([, value]) => value !== ''))
}

const values = (text: string | undefined) => text?.split(',').filter((value) => value !== '') ?? []

/** Adds a value to a filter or takes it away. */
export function toggled(filters: CardFilters, name: FilterName, value: string): CardFilters {
  const before = values(filters[name])
  const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value]
  const { [name]: _, ...others } = filters
  return after.length === 0 ? others : ({ ...others, [name]: after.join(',') } as CardFilters)
}

export const isChosen = (filters: CardFilters, name: FilterName, value: string): boolean =>
  values(filters[name]).includes(value)

export const workerKey = (worker: StandardCard['assignee']): string =>
  worker === null ? 'none' : `${worker.kind}:${worker.id}`

/** Whether a card is shown. `me` is the id of the reader. */
export function matcherOf(filters: CardFilters, me: string): (card: StandardCard) => boolean {
  const [assignees, types, priorities, labels] = [
    values(filters.assignee).map((each) => (each === 'me' ? `member:${me}` : each)),
    values(filters.type),
    values(filters.priority),
    values(filters.label),
  ]
  const words = filters.q?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  const within = (chosen: readonly string[], value: string) => chosen.length === 0 || chosen.includes(value)
  return (card) =>
    within(assignees, workerKey(card.assignee)) &&
    within(types, card.task_type) &&
    within(priorities, card.priority) &&
    (labels.length === 0 || card.labels.some((label) => labels.includes(label))) &&
    (filters.ready === undefined || card.is_ready) &&
    words.every((word) => `${card.ref} ${card.title}`.toLowerCase().includes(word))
}
