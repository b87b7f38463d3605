/** What Postgres raises when a remembered caller must be looked up anew. */
export const staleCallerCode = 'CH401'

export class StaleCaller extends Error {
  constructor(cause: unknown) {
    super('the caller has to be looked up anew', { cause })
    this.name = 'StaleCaller'
  }
}
