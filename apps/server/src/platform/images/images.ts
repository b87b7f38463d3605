import { type DecoderLimits, Decoders } from '#platform/images/decoders.ts'
import { kindOf, type Picture, type PictureRules } from '#platform/images/picture-rules.ts'
import type { Log } from '#platform/log/log.ts'

export interface Images {
  /** Whether the first bytes are those of an accepted kind; says nothing about the rest. */
  claimsToBe(bytes: Uint8Array, rules: PictureRules): boolean
  /**
   * The re-encoded image, or undefined if the rules do not accept the bytes. Places are shared between owners, such as
   * workspaces: one owner cannot take all of them.
   */
  read(bytes: Uint8Array, rules: PictureRules, owner: string): Promise<Picture | undefined>
  close(): void
}

const standard: DecoderLimits = {
  processes: 2,
  waiting: 32,
  per_owner: 10,
  wait_ms: 10_000,
  decode_ms: 15_000,
  idle_ms: 30_000,
}

/** The only way for images into the product: uploaded bytes are never stored or served as they came. */
export function createImages(log: Log, limits: Partial<DecoderLimits> = {}): Images {
  const decoders = new Decoders({ ...standard, ...limits })
  return {
    claimsToBe: (bytes, rules) => kindOf(bytes, rules.kinds) !== undefined,
    async read(bytes, rules, owner) {
      const kind = kindOf(bytes, rules.kinds)
      if (!kind) return undefined
      const verdict = await decoders.decode({ bytes, kind, rules }, owner)
      if ('picture' in verdict) return verdict.picture
      if (verdict.signal) log.error({ signal: verdict.signal, kind }, 'image decoder crashed')
      return undefined
    },
    close: () => decoders.close(),
  }
}
