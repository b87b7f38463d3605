import type { Detail } from '@crewhall/contracts/refusal.ts'
import type { Ending } from './exit-codes.ts'

/** What ends a command other than well, in words for whoever called it. */
export class Failure extends Error {
  readonly ending: Ending
  /** What the service said, if it did. */
  readonly detail: Detail | undefined
  readonly status: number | undefined
  readonly request_id: string | undefined
  /** What to do about it. */
  readonly remedy: string | undefined

  constructor(
    ending: Ending,
    message: string,
    more: { detail?: Detail; status?: number; request_id?: string | undefined; remedy?: string } = {},
  ) {
    super(message)
    this.name = 'Failure'
    this.ending = ending
    this.detail = more.detail
    this.status = more.status
    this.request_id = more.request_id
    this.remedy = more.remedy
  }
}

export const failed = (message: string, remedy?: string): Failure =>
  new Failure('error', message, remedy === undefined ? {} : { remedy })

export const signInNeeded = (message: string, remedy: string): Failure =>
  new Failure('sign_in', message, { remedy })

export const cancelled = (message = 'cancelled'): Failure => new Failure('cancelled', message)
