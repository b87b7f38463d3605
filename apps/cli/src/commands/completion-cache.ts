/** In the folder of caches: what completion knows without asking anybody. */
export const knownFile = 'completion.json'

export interface Known {
  readonly version: string
  readonly boards: readonly string[]
  readonly refs: readonly string[]
  /** Flags of each command, by its words. */
  readonly flags: Readonly<Record<string, readonly string[]>>
}
