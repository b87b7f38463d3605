import { argumentsOf } from '../arguments.ts'
import type { ToolCall } from '../tool.ts'
import type { Fields } from './provenance.ts'

/** Which argument takes what a response calls `next_…`. */
const takers: Readonly<Record<string, readonly string[]>> = {
  next_cursor: ['cursor', 'since'],
  next_after: ['after'],
  next_before: ['before'],
  next_seq: ['from'],
}

/** The argument that gets the next page, in words; undefined on the last one. */
export function continuationOf(body: Fields, call: ToolCall): string | undefined {
  const { page, per_page, total } = body
  if (typeof page === 'number' && typeof per_page === 'number' && typeof total === 'number')
    return page * per_page < total
      ? `${rangeOf(page, per_page, total)}; for more, repeat this call with page=${page + 1}`
      : undefined
  const takes = new Set(argumentsOf(call.action).map(({ name }) => name))
  for (const [name, arguments_] of Object.entries(takers)) {
    const value = body[name]
    const taker = arguments_.find((each) => takes.has(each))
    if (value !== null && value !== undefined && taker)
      return `for more, repeat this call with ${taker}=${String(value)}`
  }
  return undefined
}

const rangeOf = (page: number, per_page: number, total: number): string =>
  `${(page - 1) * per_page + 1} to ${Math.min(page * per_page, total)} of ${total}`
