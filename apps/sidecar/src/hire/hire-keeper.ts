import { ApiError } from '@crewhall/client/client.ts'
import type { DeskHire } from '@crewhall/contracts/hires/credentials.ts'
import type { Log } from '../log.ts'
import type { HireFiles } from './hire-files.ts'

interface Keeping {
  readonly files: HireFiles
  readonly log: Log
  fetch(): Promise<DeskHire>
}

/** What a beat says: undefined by a service that knows no hires, null where nobody is at the desk. */
export type ToldHire = { readonly agent_id: string; readonly revision: number } | null | undefined

/** Keeps credential and files of the employee at this desk as the service says. */
export class HireKeeper {
  readonly #keeping: Keeping
  #last: Promise<void> = Promise.resolve()
  #isBusy = false
  /** Why it was not fetched: said once. */
  #said = ''

  constructor(keeping: Keeping) {
    this.#keeping = keeping
  }

  /** With every beat, which does not wait for it. What fails is tried again with the next one. */
  told(hire: ToldHire): void {
    if (hire === undefined || this.#isBusy) return
    this.#isBusy = true
    this.#last = this.#follow(hire)
      .then(() => {
        this.#said = ''
      })
      .catch((error: unknown) => this.#say(error))
      .finally(() => {
        this.#isBusy = false
      })
  }

  /** After the last beat: the desk is no more, or is not trusted any more. */
  async leave(): Promise<void> {
    await this.#last
    await this.#follow(null).catch((error: unknown) => this.#say(error))
  }

  settled(): Promise<void> {
    return this.#last
  }

  async #follow(hire: Exclude<ToldHire, undefined>): Promise<void> {
    const { files, log, fetch } = this.#keeping
    if (hire === null) {
      if (await files.remove()) log.info('the employee has left this desk')
      return
    }
    if ((await files.revision()) === hire.revision) return
    const fetched = await fetch()
    await files.write(fetched)
    const { agent_id, revision } = fetched
    log.info('an employee works at this desk', { agent_id, revision })
  }

  #say(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error)
    if (words === this.#said) return
    this.#said = words
    const { log } = this.#keeping
    // While it is built, there is nothing to fetch yet.
    if (error instanceof ApiError && error.status === 404)
      log.info('the employee of this desk is not there yet')
    else log.warn('credential and files of the employee were not brought up to date', { error })
  }
}
