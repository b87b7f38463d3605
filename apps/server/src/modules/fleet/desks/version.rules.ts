import { isOlder } from '@crewhall/contracts/fleet/version.ts'

/** Sidecars tell a digest of their code since then (ENV-19). */
const firstWithDigest = '0.2.10'

/** The digest that a desk shows: none before it was heard, and none of a sidecar that does not tell it. */
export const shownDigest = (version: string | null, digest: string | null): string | null =>
  version === null || isOlder(version, firstWithDigest) ? null : digest
