import { Refusal } from '@crewhall/contracts/refusal.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { UntouchedReason } from '#platform/shared-files/untouched.ts'

/** Why a step could not be done, in words for the workspace. */
export class StepFailed extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'StepFailed'
  }
}

const longest = 500
const unknown = 'Something went wrong in the server; its log has the details'

const ofDirectory: Readonly<Record<UntouchedReason, string>> = {
  link: 'there is a link or a file in its place',
  hard_linked: 'there is a link in its place',
  not_a_file: 'there is something else in its place',
  owner: 'it belongs to somebody else',
  not_writable: 'the server may not write there',
  disk_full: 'the disk is full',
  too_large: 'it is too large',
  busy: 'another build was faster',
  no_directory: 'the root of conversations is missing',
  io_error: 'the disk has failed',
}

export const directoryFailed = (reason: UntouchedReason): StepFailed =>
  new StepFailed(`The directory cannot be written: ${ofDirectory[reason]}`)

/** Undefined for what is no failure of the build: the job is repeated as it is. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof Outage && error.part !== 'service') return undefined
  return wordsOf(error).slice(0, longest)
}

function wordsOf(error: unknown): string {
  if (error instanceof StepFailed) return error.message
  if (error instanceof Outage) return error.detail
  return error instanceof Refusal ? error.message : unknown
}

/** Whether nobody expected it, and it belongs into the log. */
export const isUnexpected = (error: unknown): boolean => wordsOf(error) === unknown
