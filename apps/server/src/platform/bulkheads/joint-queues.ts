import type { Company } from '#platform/bulkheads/bulkheads.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

/** A caller whose write can be batched with others of its kind. */
export interface Joining {
  readonly life: Life | undefined
  /** Approximate size in bytes: large writes run alone, so that nobody waits for them under a lock. */
  readonly weight: number
}

/** Writes for all members or none, and returns results in their order. */
type Carry<Member, Result> = (members: readonly Member[]) => Promise<readonly Result[]>

interface Waiting<Member, Result> {
  readonly member: Member
  resolve(result: Result): void
  reject(reason: unknown): void
  stop(): void
}

/**
 * One queue per contended resource. The first writer runs immediately; those that arrive meanwhile run as one batch
 * afterwards, in order of arrival. If a batch fails, each member is retried alone, so that nobody is refused because of
 * another.
 */
export class JointQueues {
  readonly #limits: Company
  readonly #queues = new Map<string, Waiting<Joining, unknown>[]>()
  readonly #waited: (seconds: number) => void

  constructor(limits: Company, waited: (seconds: number) => void = () => {}) {
    this.#limits = limits
    this.#waited = waited
  }

  join<Member extends Joining, Result>(
    key: string,
    member: Member,
    carry: Carry<Member, Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const mine: Waiting<Member, Result> = { member, resolve, reject, stop: () => {} }
      const queue = this.#queues.get(key) as Waiting<Member, Result>[] | undefined
      if (queue) this.#wait(queue, mine)
      else {
        this.#queues.set(key, [])
        void this.#carryOn(key, mine, carry)
      }
    })
  }

  /** Keys with a batch in progress; for tests. */
  get size(): number {
    return this.#queues.size
  }

  #wait<Member extends Joining, Result>(
    queue: Waiting<Member, Result>[],
    mine: Waiting<Member, Result>,
  ): void {
    if (queue.length >= this.#limits.waiting) {
      mine.reject(new Outage('database', 'overloaded'))
      return
    }
    const begun = performance.now()
    const giveUp = (reason: Outage) => {
      const at = queue.indexOf(mine)
      if (at < 0) return
      queue.splice(at, 1)
      mine.stop()
      mine.reject(reason)
    }
    const timer = setTimeout(() => giveUp(new Outage('database', 'overloaded')), this.#limits.wait_ms)
    queue.push(mine)
    const forget = mine.member.life?.onEnd(giveUp)
    mine.stop = () => {
      clearTimeout(timer)
      forget?.()
      this.#waited((performance.now() - begun) / 1000)
    }
  }

  async #carryOn<Member extends Joining, Result>(
    key: string,
    first: Waiting<Member, Result>,
    carry: Carry<Member, Result>,
  ): Promise<void> {
    const queue = this.#queues.get(key) as Waiting<Member, Result>[]
    for (let company = [first]; company.length > 0; company = this.#next(queue)) {
      await settle(company, carry)
    }
    this.#queues.delete(key)
  }

  #next<Member extends Joining, Result>(queue: Waiting<Member, Result>[]): Waiting<Member, Result>[] {
    let weight = 0
    let count = 0
    for (const { member } of queue) {
      weight += member.weight
      if (count === this.#limits.members || (count > 0 && weight > this.#limits.bytes)) break
      count += 1
    }
    const company = queue.splice(0, count)
    for (const { stop } of company) stop()
    return company
  }
}

async function settle<Member extends Joining, Result>(
  company: readonly Waiting<Member, Result>[],
  carry: Carry<Member, Result>,
): Promise<void> {
  if (company.length > 1) {
    try {
      const results = await carry(company.map(({ member }) => member))
      for (const [at, { resolve }] of company.entries()) resolve(results[at] as Result)
      return
    } catch (error) {
      // Retrying one by one is pointless while the database is down, and the last would wait for all others.
      if (error instanceof Outage && company.every(({ member }) => !member.life?.ended)) {
        for (const { reject } of company) reject(error)
        return
      }
    }
  }
  for (const { member, resolve, reject } of company) {
    try {
      if (member.life?.ended) throw member.life.ended
      const [result] = await carry([member])
      resolve(result as Result)
    } catch (error) {
      reject(error)
    }
  }
}
