import { isEventStream, mediaTypesOf } from './bytes.ts'
import { type AnyRoute, successStatus, takesDryRun, takesKey } from './route.ts'

/** What each header of an answer says. Those who read the reference know the others from HTTP. */
export const answerHeaders = {
  'X-Request-Id': 'Names this request in the log and in the audit; give it when you report a problem',
  'X-RateLimit-Limit': 'Requests allowed per minute',
  'X-RateLimit-Remaining': 'Requests left in this minute',
  'X-RateLimit-Reset': 'Seconds until all of them are allowed again',
  RateLimit: 'The same as the IETF draft writes it: what is left (`r`) and until when (`t`)',
  'RateLimit-Policy': 'Which limit counts, `credential` or `address`, with its quota (`q`) and window (`w`)',
  'Retry-After': 'Seconds to wait before the request is sent again',
  ETag: 'The version of this answer, for `If-None-Match` and, where a thing has versions, for `If-Match`',
  Link: 'Addresses of other pages, by `rel`: `first`, `prev`, `next`, `last`',
  'Idempotent-Replayed': '`true` when the answer is that of an earlier request with the same Idempotency-Key',
  'Dry-Run': '`true` when nothing was written because the request asked for `dry_run=true`',
  'Set-Cookie': 'The session',
  'Content-Disposition': 'Whether to show it or to save it, and under which name',
  Vary: 'Which request headers the answer depends on',
} as const
export type AnswerHeader = keyof typeof answerHeaders

const ofLimits: readonly AnswerHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
]

/** An answer that goes on until somebody hangs up. */
export const isStreamed = ({ responses }: AnyRoute): boolean => Object.values(responses).some(isEventStream)

/** A read that can be asked for with `If-None-Match`. */
export const isTaggedRead = (route: AnyRoute): boolean =>
  route.method === 'GET' && route.auth.kind !== 'nobody' && !isStreamed(route)

/**
 * Headers that an answer with this status may have, from what the shared layers do with routes of this kind. Every
 * answer has `X-Request-Id`; it is named where it is needed.
 */
export function headersOfAnswer(route: AnyRoute, status: number): AnswerHeader[] {
  const isDone = status < 300
  const isGood = isDone || status === 304
  const isAway = status === 503 && !(503 in route.responses)
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
  ]
}

const names = (header: AnswerHeader, isThere: boolean): AnswerHeader[] => (isThere ? [header] : [])

/** A list that has pages by number, or a place to go on from. */
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
