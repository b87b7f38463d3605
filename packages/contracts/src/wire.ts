import { z } from 'zod'

/** SYS-14: ISO 8601 in UTC, the zone always written, microseconds kept when Postgres has them. */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
  .meta({
    id: 'Timestamp',
    format: 'date-time',
    description: 'ISO 8601 timestamp in UTC',
    examples: ['2026-01-31T09:30:00.000000Z'],
  })

/** Whether the text begins with an existing date and time, unlike 30 February. */
export function isOnCalendar(value: string): boolean {
  const written = value.slice(0, 16)
  const time = new Date(`${written}Z`)
  return time.getTime() >= 0 && time.toISOString().startsWith(written)
}

/** The format of responses, so that times sent and stored compare as text. */
function withSixDigits(value: string): string {
  const [seconds = '', fraction = ''] = value.replace(/Z$/, '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

/** A timestamp in a request: well-formed text may still be an invalid date. */
export const Moment = Timestamp.overwrite(withSixDigits).refine(
  (value) => isOnCalendar(value) && !Number.isNaN(Date.parse(value)),
  'must be a valid time in UTC, from 1970 on',
)

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** SYS-15: upper case is accepted in requests; stored and returned in lower case. */
export const Uuid = z
  .string()
  .toLowerCase()
  .regex(uuidForm, 'must be a UUID')
  .meta({ format: 'uuid', examples: ['3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'] })

/** An integer in a query string: plain digits only, so `1e1`, ` 10`, `+5` and `0x1` are refused. */
export function queryInteger(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^(0|-?[1-9]\d{0,14})$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .meta({ override: { type: 'integer', minimum: min, maximum: max } })
}

/** An optional one. The default is set here, so that OpenAPI shows it and no service repeats it. */
const defaultInteger = (min: number, max: number, standard: number) =>
  queryInteger(min, max)
    .default(standard)
    .meta({ override: { type: 'integer', minimum: min, maximum: max, default: standard } })

/** How many items one page holds. */
export const pageLimit = (max = 100, standard = 50) => defaultInteger(1, max, standard)

/** The query of a list with numbered pages. */
export const paged = ({ pages = 1_000_000, max = 100 } = {}) => ({
  page: defaultInteger(1, pages, 1),
  per_page: pageLimit(max),
})
/** The page that a service is asked for. */
export interface Paging {
  readonly page: number
  readonly per_page: number
}

export const queryBoolean = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ override: { type: 'boolean' } })

/**
 * Text of limited length in code points, as the interface counts. With a minimum of 1, it must contain something visible:
 * blanks of any script and invisible characters are not enough.
 */
export function text(min: number, max: number) {
  return bounded(z.string(), min, max)
}

/** A name or title on one line. Surrounding blanks are dropped: nobody means them. */
export function words(max: number) {
  return bounded(z.string().trim(), 1, max)
}

const bounded = (given: z.ZodString, min: number, max: number) =>
  given
    .refine((value) => withinCodePoints(value, min, max), `must be ${min} to ${max} characters long`)
    .refine((value) => min !== 1 || value === '' || visible.test(value), 'must not be blank')
    .meta({ minLength: min, maxLength: max })

const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u

/** A URL that is safe to link to: other schemes run code or open programs. */
export function webLink(max: number) {
  return z
    .string()
    .max(max)
    .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[A-Za-z0-9[]\S*$/, 'must be an http or https address')
}

/** An object of any shape and limited size as JSON. */
export function anyObject(maxBytes: number) {
  return z
    .record(z.string().max(100), z.unknown())
    .refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes,
      `must be at most ${maxBytes} bytes as JSON`,
    )
}

function withinCodePoints(value: string, min: number, max: number): boolean {
  // There are at most as many code points as UTF-16 units, and at least half as many: most texts need no count.
  if (value.length <= max && value.length >= min * 2) return true
  if (value.length > max * 2 || value.length < min) return false
  let count = 0
  for (const _ of value) count += 1
  return count >= min && count <= max
}

export const ErrorBody = z
  .object({ detail: z.union([z.string(), z.record(z.string(), z.unknown())]) })
  .meta({ id: 'Error', description: 'Every error: what happened, as a sentence or an object' })
