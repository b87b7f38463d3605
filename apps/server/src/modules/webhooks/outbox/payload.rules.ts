/** An event as receivers get it. */
interface Told {
  readonly type: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Standard Webhooks recommends less than 20 KB, because receivers and their proxies have limits. */
const maxBytes = 20_000

/**
 * The body of a delivery, built once: every attempt sends these bytes. An event that is too long is reduced to what
 * identifies it, and the receiver fetches the rest.
 */
export function payloadOf({ type, created_at, data }: Told): string {
  const whole = JSON.stringify({ type, timestamp: created_at, data })
  if (fits(whole)) return whole
  const { data: _, ...entry } = data
  const short = JSON.stringify({ type, timestamp: created_at, data: { ...entry, data: {}, is_cut: true } })
  if (fits(short)) return short
  const { id, action, board_id, task_id } = data
  const least = { id, action, created_at, board_id, task_id, data: {}, is_cut: true }
  return JSON.stringify({ type, timestamp: created_at, data: least })
}

// A character is at most three bytes for each of its UTF-16 units, so most texts need no count.
const fits = (text: string): boolean => text.length * 3 <= maxBytes || bytesOf(text) <= maxBytes

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The subscriptions that match this type. */
export const patternsOf = (type: string): string[] => [type, `${type.slice(0, type.indexOf('.'))}.*`, '*']
