import { setTimeout } from 'node:timers/promises'
import type { Queryable } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { Outage } from '#platform/outage/outage.ts'

const held = statement<object, { is_held: boolean }>(
  () => sql`select released_at is null as is_held from platform.timelines order by number desc limit 1`,
)
const everyMs = 2000

/**
 * Whether what goes out is held after a restore. Only a restore sets it, and no process outlives one, so once it is off
 * nobody asks again.
 */
export class Hold {
  readonly #db: () => Queryable
  #isOff = false

  constructor(db: () => Queryable) {
    this.#db = db
  }

  async isOn(): Promise<boolean> {
    if (this.#isOff) return false
    const found = await this.#db().first(held, {})
    this.#isOff = found?.is_held !== true
    return !this.#isOff
  }

  /** Waits for the release, through outages too. False when it was stopped before. */
  async released(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      try {
        if (!(await this.isOn())) return true
      } catch (error) {
        if (!(error instanceof Outage)) throw error
      }
      await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
    return false
  }
}

/** For callers a hold is as if the mail server were away. */
export const heldMail = (mail: Mail, hold: Hold): Mail => ({
  async send(outside, message) {
    if (await hold.isOn()) throw new Outage('mail', 'unreachable')
    await mail.send(outside, message)
  },
  close: () => mail.close(),
})
