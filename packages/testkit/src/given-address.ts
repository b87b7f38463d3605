export interface GivenAddress {
  readonly url: string
  /** Past a pooler, as the role of the product. */
  readonly database_url: string | undefined
}

const { CONFORMANCE_URL, CONFORMANCE_DATABASE_URL } = process.env

/** An installation that runs already, for tests of it from outside. Without one, tests start what they need. */
export const given: GivenAddress | undefined = CONFORMANCE_URL
  ? { url: CONFORMANCE_URL, database_url: CONFORMANCE_DATABASE_URL }
  : undefined

/** What the message of a test begins with that cannot run against a given installation. */
export const ownServerMark = 'needs a server of its own'

export function needsOwnServer(why: string): never {
  throw new Error(`${ownServerMark}: ${why}`)
}
