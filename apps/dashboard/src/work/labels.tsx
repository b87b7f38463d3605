import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as labels from '@crewhall/contracts/boards/labels.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'
import { type Choice, Picker } from '../ui/choices.tsx'
import { cardsOf } from './figures.ts'
import { None, PropertyButton } from './property.tsx'

export const labelsApi = apiOf({ boards: routesIn(labels) })

// Below the board, so that its events read them again.
export const labelsQuery = (board_id: string) =>
  queryOptions({
    queryKey: ['board', board_id, 'labels'],
    queryFn: async ({ signal }) =>
      (
        await labelsApi
          .reading(signal)
          .boards.listLabels({ params: { board_id }, query: { per_page: '100' } })
      ).body,
  })

/** A dot in the colour that the team gave the label; without one, a ring. */
export function LabelDot({ color, size = 10 }: { readonly color: string | null; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 10 10" className="shrink-0" aria-hidden="true">
      <circle cx="5" cy="5" r="4" fill={color ?? 'none'} className={color ? '' : 'stroke-line-control'} />
    </svg>
  )
}

/** The labels of a board, and those that are chosen. */
export function useLabelChoices(board_id: string, chosen: readonly string[]): readonly Choice[] {
  const { data } = useQuery(labelsQuery(board_id))
  const known = data?.items ?? []
  const others = chosen.filter((name) => !known.some((label) => label.name === name))
  return [
    ...others.map((name) => ({ value: name, label: name, mark: <LabelDot color={null} />, isChosen: true })),
    ...known.map(({ name, color, card_count }) => ({
      value: name,
      label: name,
      note: card_count > 0 ? cardsOf(card_count) : undefined,
      mark: <LabelDot color={color} />,
      isChosen: chosen.includes(name),
    })),
  ]
}

interface LabelChoiceProps {
  readonly card: FullCard
  readonly canWrite: boolean
  readonly onChange: (labels: string[]) => void
}

export function LabelChoice({ card, canWrite, onChange }: LabelChoiceProps) {
  const choices = useLabelChoices(card.board_id, card.labels)
  const colors = new Map(
    useQuery(labelsQuery(card.board_id)).data?.items.map(({ name, color }) => [name, color]),
  )
  const toggle = (name: string) =>
    onChange(
      card.labels.includes(name) ? card.labels.filter((each) => each !== name) : [...card.labels, name],
    )
  const tags = card.labels.map((label) => (
    <span
      key={label}
      title={label}
      className="flex max-w-full items-center gap-1 rounded-tag border border-line px-1 text-micro"
    >
      {colors.get(label) && <LabelDot color={colors.get(label) ?? null} size={6} />}
      <span className="truncate">{label}</span>
    </span>
  ))
  const shown = tags.length > 0 ? tags : <None />
  const row = <span className="flex min-w-0 flex-wrap gap-1">{shown}</span>
  if (!canWrite) return row
  return (
    <Picker
      label="Labels"
      isMany
      choices={choices}
      onChoose={toggle}
      onCreate={toggle}
      trigger={<PropertyButton label="labels">{row}</PropertyButton>}
    />
  )
}
