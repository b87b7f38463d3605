import { isEventStream, mediaTypesOf } from './bytes.ts'
import { type AnyRoute, successStatus, takesDryRun, takesKey } from './route.ts'

/** Response headers and their meaning. Standard HTTP headers are not listed. */
export const answerHeaders = {
  'X-Request-Id':
    'Identifies this request in the logs and the audit log; include it when you report a problem',
  'X-RateLimit-Limit': 'Requests allowed per minute',
  'X-RateLimit-Remaining': 'Requests left in this minute',
  'X-RateLimit-Reset': 'Seconds until the full limit is available again',
  RateLimit: 'The same in the form of the IETF draft: requests left (`r`) and seconds until the reset (`t`)',
  'RateLimit-Policy':
    'The limit that applies, `credential` or `address`, with its quota (`q`) and window (`w`)',
  'Retry-After': 'Seconds to wait before retrying',
  ETag: 'The version of this response, for `If-None-Match` and, on versioned resources, `If-Match`',
  Link: 'URLs of other pages, by `rel`: `first`, `prev`, `next`, `last`',
  'Idempotent-Replayed': '`true` if this is the response to an earlier request with the same Idempotency-Key',
  'Dry-Run': '`true` if nothing was written because of `dry_run=true`',
  'Set-Cookie': 'The session',
  'Content-Disposition': 'Whether to display or download the file, and its name',
  'X-Reranked':
    '`true` if a language model has chosen the results, `false` if they are in the order of the search',
  Vary: 'The request headers that the response depends on',
} as const
export type AnswerHeader = keyof typeof answerHeaders

const ofLimits: readonly AnswerHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
]

/** A response that stays open until either side closes it. */
export const isStreamed = ({ responses }: AnyRoute): boolean => Object.values(responses).some(isEventStream)

/** A read that supports `If-None-Match`. */
export const isTaggedRead = (route: AnyRoute): boolean =>
  route.method === 'GET' && route.auth.kind !== 'nobody' && !isStreamed(route)

/**
 * Headers that a response with this status may have, added by shared layers to routes of this kind. Every response has
 * `X-Request-Id`; it is documented only where it helps.
 */
export function headersOfAnswer(route: AnyRoute, status: number): AnswerHeader[] {
  const isDone = status < 300
  const isGood = isDone || status === 304
  const isAway =
    (status === 503 || (status > 501 && route.database !== undefined)) && !(status in route.responses)
  const waits = status === 429 || isAway || (status === 409 && takesKey(route))
  return [
    ...names('X-Request-Id', isGood || status >= 500),
    ...((isGood || status === 429) && !route.unlimited ? ofLimits : []),
    ...names('Retry-After', waits),
    ...names('ETag', isGood && (isTaggedRead(route) || route.versioned === true)),
    ...names('Link', isGood && isPaged(route)),
    ...names('Idempotent-Replayed', isDone && takesKey(route)),
    ...names('Dry-Run', isDone && takesDryRun(route)),
    ...names('Set-Cookie', isDone && route.sets_cookie === true),
    ...names('Content-Disposition', isDone && isFile(route)),
    ...names('Vary', isDone && isFile(route)),
    ...(isDone ? (route.sends ?? []) : []),
  ]
}

const names = (header: AnswerHeader, isThere: boolean): AnswerHeader[] => (isThere ? [header] : [])

/** A list with numbered pages or a cursor. */
function isPaged(route: AnyRoute): boolean {
  if (route.method !== 'GET') return false
  const answer = shapeOf(route.responses[successStatus(route)])
  const query = shapeOf(route.query)
  return 'per_page' in answer || ('next_cursor' in answer && ('cursor' in query || 'since' in query))
}

function isFile(route: AnyRoute): boolean {
  const schema = route.responses[successStatus(route)]
  return schema !== undefined && mediaTypesOf(schema) !== undefined && !isStreamed(route)
}

const shapeOf = (schema: unknown): object => (schema as { shape?: object } | undefined)?.shape ?? {}
