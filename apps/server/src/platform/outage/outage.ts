import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'

export type Part =
  | 'database'
  | DatabaseHandle
  | 'redis'
  | 'storage'
  | 'mail'
  | 'embeddings'
  | 'model'
  | 'service'
export type OutageReason =
  | 'unreachable'
  | 'timeout'
  | 'overloaded'
  | 'not_configured'
  | 'refused'
  /** It responded, and nothing can be made of the response. */
  | 'bad_answer'

interface OutageOptions {
  readonly status?: 502 | 503 | 504
  readonly detail?: string
  readonly cause?: unknown
}

/** A dependency is unavailable. 503 unless the interface demands 502 or 504; jobs retry. */
export class Outage extends Error {
  readonly part: Part
  readonly reason: OutageReason
  readonly status: 502 | 503 | 504
  readonly detail: string

  /** A permanent rejection: a retry would get the same result. */
  get is_final(): boolean {
    return this.reason === 'refused'
  }

  constructor(part: Part, reason: OutageReason, options: OutageOptions = {}) {
    super(`${part}: ${reason}`, { cause: options.cause })
    this.name = 'Outage'
    this.part = part
    this.reason = reason
    this.status = options.status ?? 503
    this.detail = options.detail ?? sentences[reason](part)
  }

  /** The same outage, with the text and status of the interface. */
  worded({ status, text }: { readonly status: number; readonly text: string }): Outage {
    if (status !== 502 && status !== 503 && status !== 504) throw new Error(`${status} is no outage`)
    return new Outage(this.part, this.reason, { status, detail: text, cause: this })
  }
}

/** What a request ends with when its caller hangs up. Nothing is away, and nobody is there to be told. */
export class CallerGone extends Outage {
  constructor() {
    super('service', 'unreachable')
  }

  override worded(): Outage {
    return this
  }
}

const sentences: Record<OutageReason, (part: Part) => string> = {
  unreachable: (part) => `The ${part} cannot be reached`,
  timeout: (part) => `The ${part} did not answer in time`,
  overloaded: (part) => `The ${part} is overloaded`,
  refused: (part) => `The ${part} refused this`,
  not_configured: (part) => `The ${part} is not configured`,
  bad_answer: (part) => `The response of the ${part} cannot be used`,
}
