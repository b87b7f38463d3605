import type { FastifyBaseLogger } from 'fastify'

type Facts = [facts: object, message?: string]

/** The log of one request. Most say nothing but the line at their end, and a child logger costs more than a line. */
export class LazyLog {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  get #log(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }

  get level(): string {
    return this.#log.level
  }

  fatal(...facts: Facts): void {
    this.#log.fatal(...facts)
  }

  error(...facts: Facts): void {
    this.#log.error(...facts)
  }

  warn(...facts: Facts): void {
    this.#log.warn(...facts)
  }

  info(...facts: Facts): void {
    this.#log.info(...facts)
  }

  debug(...facts: Facts): void {
    this.#log.debug(...facts)
  }

  trace(...facts: Facts): void {
    this.#log.trace(...facts)
  }

  silent(): void {}

  child(...given: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...given)
  }
}
