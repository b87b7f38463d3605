import { refusal, refusalOf } from '../refusal.ts'

export const sourceNotFound = refusal(404, 'Source not found')
export const sourceIdMalformed = refusal(422, 'source_id: must be a UUID')
export const unknownCursor = refusal(422, 'cursor: must be a next_cursor of this list')
/** CONV-09, CONV-G4. */
export const sourceQuotaExceeded = refusalOf(
  403,
  'An object: `error` is `quota_exceeded`, `limit` what the plan allows, `current` how many sources there are',
  (limit: number, current: number) => ({ error: 'quota_exceeded', limit, current }),
)
export const directoriesOff = refusal(
  422,
  'config.directory: this installation reads no directories; send conversations instead',
)
export const directoryMalformed = refusal(
  422,
  'config.directory: must be a relative path without empty parts, `.` and `..`',
)
export const maskedValueUnknown = refusal(
  422,
  'config: a masked value stands where none is stored; send the value itself',
)
