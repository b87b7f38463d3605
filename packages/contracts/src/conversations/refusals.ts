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
export const boardIdsMalformed = refusal(422, 'config.board_ids: must be a list of 1 to 90 ids of boards')
export const boardsUnknown = refusal(422, 'config.board_ids: must be boards of this workspace')
export const maskedValueUnknown = refusal(
  422,
  'config: a masked value stands where none is stored; send the value itself',
)
export const conversationNotFound = refusal(404, 'Conversation not found')
export const conversationIdMalformed = refusal(422, 'conversation_id: must be a UUID')
export const sourceFetches = refusal(
  409,
  'This source reads completed tasks by itself; nothing can be sent to it',
)
export const messageDiffers = refusalOf(
  409,
  'Message … is stored with another text; a conversation only grows',
  (seq: number) => `Message ${seq} is stored with another text; a conversation only grows`,
)
export const rangeLeavesGap = refusalOf(
  409,
  'first_seq: the next message is number …',
  (next_seq: number) => `first_seq: the next message is number ${next_seq}`,
)
export const conversationFull = refusalOf(
  409,
  'A conversation has at most … messages; begin another one',
  (most: number) => `A conversation has at most ${most} messages; begin another one`,
)
export const nativeUnnamed = refusal(422, 'conversation_id: neither sent nor named in the file')
export const nativeUnreadable = refusal(422, 'native: no line of it is a record of this kind of source')
export const onlyPeopleRollBack = refusal(403, 'Only a person can roll back, not an agent')
export const unknownRollback = refusal(422, 'cursor: must be a next_cursor of this rollback')
export const rangeReversed = refusal(422, 'from: must not be after `to`')
