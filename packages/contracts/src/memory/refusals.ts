import { refusal } from '../refusal.ts'

export const memoryNotFound = refusal(404, 'Memory not found')
/** MEMO-60: the form of an id is checked before anything is looked up. */
export const memoryIdMalformed = refusal(422, 'memory_id: must be a UUID')
/** MEMO-G10. */
export const agentIdMalformed = refusal(422, 'agent_id: must be 1 to 255 letters, digits, _ or -')
export const versionNotFound = refusal(404, 'The memory has no such version, or it is no longer stored')
export const versionIsDeletion = refusal(409, 'At this version the memory was deleted; choose another one')
export const unknownCursor = refusal(422, 'cursor: must be a next_cursor of this list')
export const notConsolidated = refusal(409, 'The memory is not a pattern that was made from others')
export const proposalNotFound = refusal(404, 'Proposal not found')
export const proposalIdMalformed = refusal(422, 'proposal_id: must be a UUID')
export const proposalDecided = refusal(409, 'The proposal has been decided differently')
export const onlyPeopleDecide = refusal(403, 'Only a person can decide on a proposal, not an agent')
export const keepMissing = refusal(422, 'keep: must be old, new or both for a conflict')
export const keepUnwanted = refusal(422, 'keep: is only for conflicts')
export const memoryChanged = refusal(409, 'The memory has changed since this was proposed; edit it instead')
export const memoryGone = refusal(409, 'The memory does not exist any more; reject the proposal')
export const namesNoCode = refusal(409, 'The memory names no code that is in an index now')
