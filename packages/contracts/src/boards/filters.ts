import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { isOnCalendar, queryBoolean, text, Uuid } from '../wire.ts'
import { cardTaskTypes, priorities } from './card-fields.ts'
import { TaskId } from './task-ids.ts'

/** Up to `max` values separated by commas; blank ones are ignored. */
export const separated = (max: number) =>
  z
    .string()
    .max(40 * max)
    .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
    .refine((parts) => parts.length <= max, `must name at most ${max}`)

const asText = { override: { type: 'string' } } as const

/** BRD-G11: in any case. */
const HasPr = z
  .string()
  .regex(/^(true|false)$/i, 'must be true or false')
  .transform((text) => text.toLowerCase() === 'true')
  .meta({ override: { type: 'boolean' } })

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/
export const Since = z
  .string()
  .refine((text) => isoForm.test(text) && isOnCalendar(text), 'must be an ISO 8601 time with its zone')

const labels = separated(20)
  .transform((parts) => parts.map((part) => part.trim()))
  .meta(asText)
const someOf = <const Value extends string>(values: readonly [Value, ...Value[]]) =>
  separated(values.length)
    .transform((parts) => parts.map((part) => part.trim()))
    .pipe(z.array(z.enum(values)))
    .meta(asText)

const workerForm = /^(me|none|[1-9]\d{0,8}|(member|guest):[1-9]\d{0,8}|agent:.{1,200})$/u
/** `me`, `none`, the id of a member, or `agent:` and the id of an agent. */
const workers = separated(20)
  .transform((parts) => parts.map((part) => part.trim()))
  .pipe(z.array(z.string().regex(workerForm, 'must be me, none, the id of a member, or agent:id')))
  .meta(asText)

/** `-` reverses: the newest, the latest or the most urgent first. */
export const sorts = [
  ...(['relevance', 'place', 'updated', '-updated', 'created', '-created'] as const),
  ...(['due', '-due', 'priority', '-priority', 'title'] as const),
] as const
export type Sort = (typeof sorts)[number]

export const facetNames = [
  ...(['status', 'column', 'board', 'label', 'assignee', 'priority', 'task_type'] as const),
] as const
export type FacetName = (typeof facetNames)[number]

/** The most frequent first, at most 100. `value` is what the filter takes. */
const FacetValue = z
  .object({ value: z.string(), name: z.string(), count: z.int() })
  .meta({ id: 'FacetValue' })
const facetValues = z.array(FacetValue).optional()
/** Of all cards that were found, not only of the page. */
export const CardFacets = z
  .object({
    status: facetValues,
    column: facetValues,
    board: facetValues,
    label: facetValues,
    assignee: facetValues,
    priority: facetValues,
    task_type: facetValues,
  })
  .meta({ id: 'CardFacets' })
export type CardFacets = z.infer<typeof CardFacets>

/** What a guest may ask for: facts that guests are shown. */
export const guestFilters = {
  /**
   * Words in title, description and comments, all of them; the last one may be incomplete. If no card has all of them, cards
   * with some of them, and with titles that are spelt alike. A ref such as `CORE-12` comes first.
   */
  q: text(1, 200).optional(),
  /** Any of them, as they are written. */
  label: labels.optional(),
  priority: someOf(priorities).optional(),
  task_type: someOf(cardTaskTypes).optional(),
  due_before: Since.optional(),
  /** Due then or later. */
  due_after: Since.optional(),
  has_pr: HasPr.optional(),
  /** Whether another card that is not finished blocks it. */
  blocked: queryBoolean.optional(),
  /** With `q`, by relevance by default. */
  sort: z.enum(sorts).optional(),
}

export const cardFilters = {
  ...guestFilters,
  assignee: workers.optional(),
  delegate: workers.optional(),
  /** Whether somebody works on it now. */
  claimed: queryBoolean.optional(),
  created_by: workers.optional(),
  /** A card by id or ref, or `none`. */
  parent: z.union([z.literal('none'), TaskId]).optional(),
  /** Cards that are in it now. */
  cycle: Uuid.optional(),
  /** Facets: how many of the found cards have each value. */
  count_by: someOf(facetNames).optional(),
}

/** Filters and sorting look at all cards that match. */
export const maxFound = 10_000
export const tooManyFound = refusal(400, `More than ${maxFound} cards match; narrow the filters`)
export const noSuchParentCard = refusal(400, 'parent: no such card of the workspace')
export const cursorAndFilter = refusal(400, 'cursor: must not be combined with q, filters, sort or count_by')
export const noSuchCycle = refusal(400, 'cycle: no such cycle of the workspace')
export const findRefusals = [tooManyFound, noSuchParentCard, noSuchCycle] as const
