import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { failed } from '../failure.ts'
import { at } from '../output/template.ts'
import { itemsIn } from '../output/view.ts'
import type { Answer, Caller, RouteInput } from '../transport/caller.ts'

/** Fields of a query that choose a part of a list; `--limit` and `--all` stand for them. */
export const pagingFields = ['page', 'per_page', 'limit', 'cursor'] as const

export interface Amount {
  readonly limit: number
  readonly all: boolean
}

export const standardLimit = 30
const mostItems = 100_000

export function amountOf(flags: { limit?: string; all?: boolean }): Amount {
  if (flags.all && flags.limit !== undefined) throw failed('--all and --limit exclude each other')
  if (flags.limit === undefined)
    return { limit: flags.all ? mostItems : standardLimit, all: flags.all === true }
  const isNumber = /^[1-9]\d{0,5}$/.test(flags.limit) && Number(flags.limit) <= mostItems
  if (!isNumber) throw failed(`--limit: must be a whole number from 1 to ${mostItems}`)
  return { limit: Number(flags.limit), all: false }
}

export interface Listed {
  readonly answer: Answer
  /** How many there are in all, if the service says so. */
  readonly total: number | undefined
  readonly has_more: boolean
}

/** As many items of a list as are wanted, by cursor where the contract has one and by pages otherwise. */
export async function readList(
  caller: Caller,
  route: AnyRoute,
  input: RouteInput,
  list: string,
  { limit }: Amount,
): Promise<Listed> {
  const takes = new Set(Object.keys((route.query as { shape?: object } | undefined)?.shape ?? {}))
  const [size] = ['per_page', 'limit'].filter((name) => takes.has(name))
  const most = size === undefined ? undefined : mostOf(route, size)
  const way = wayOf(takes, route)
  const items: unknown[] = []
  let cursor: unknown = way === 'cursor' && route.id === 'boards.listCards' ? 'start' : undefined
  for (let page = 1; ; page += 1) {
    // Pages keep one size, or the second would not begin where the first has ended.
    const wanted =
      most === undefined ? undefined : Math.min(most, way === 'page' ? limit : limit - items.length)
    const answer = await caller.call(route, {
      ...input,
      query: {
        ...input.query,
        ...(size === undefined || wanted === undefined ? {} : { [size]: wanted }),
        ...(way === 'page' && page > 1 ? { page } : {}),
        ...(way === 'cursor' && cursor !== undefined ? { cursor } : {}),
      },
    })
    const got = itemsIn(answer.body, list)
    if (!got) return { answer, total: undefined, has_more: false }
    items.push(...got)
    const total = at(answer.body, ['total'])
    cursor = at(answer.body, ['next_cursor'])
    const isPart =
      way === 'cursor' ? typeof cursor === 'string' : typeof total === 'number' && items.length < total
    const has_more = way !== 'once' && isPart && got.length > 0
    if (!has_more || items.length >= limit) {
      const kept = items.slice(0, limit)
      const body = list === '' ? kept : { ...(answer.body as object), [list]: kept }
      return {
        answer: { ...answer, body },
        total: typeof total === 'number' ? total : undefined,
        has_more: has_more || items.length > limit,
      }
    }
  }
}

/** `since` of a feed is no cursor of its pages: it says where to begin. */
function wayOf(takes: ReadonlySet<string>, { query }: AnyRoute): 'cursor' | 'page' | 'once' {
  if (takes.has('cursor') && query) return 'cursor'
  return takes.has('page') && takes.has('per_page') ? 'page' : 'once'
}

/** The largest page that the contract takes. */
function mostOf({ query }: AnyRoute, field: string): number {
  const shape = (query as { shape?: Record<string, { safeParse(value: unknown): { success: boolean } }> })
    .shape
  return [500, 200, 100, 50, 20, 10].find((size) => shape?.[field]?.safeParse(String(size)).success) ?? 10
}
