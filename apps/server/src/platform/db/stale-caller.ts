/** What Postgres raises when a cached caller must be looked up again. */
export const staleCallerCode = 'CH401'

export class StaleCaller extends Error {
  constructor(cause: unknown) {
    super('the caller has to be looked up anew', { cause })
    this.name = 'StaleCaller'
  }
}
