/** What a device should have and has, and the steps from one to the other. */

export interface WantedPeer {
  readonly wg_key: string
  readonly address: string
}

export interface FoundPeer {
  readonly key: string
  readonly endpoint: string | null
  readonly allowed_ips: readonly string[]
}

export type Step =
  | { readonly key: string; readonly is_removed: true }
  | { readonly key: string; readonly address: string; readonly endpoint: string | null }

export interface Delta {
  readonly wg_key: string | null
  readonly address: string | null
  readonly old_wg_key: string | null
}

/** A peer that replaces another is where that one was, so that nobody has to wait until it is heard. */
export const stepsOfDelta = (
  { wg_key, address, old_wg_key }: Delta,
  endpointOf: (key: string) => string | null,
): Step[] => [
  ...(wg_key !== null && address !== null
    ? [{ key: wg_key, address, endpoint: old_wg_key === null ? null : endpointOf(old_wg_key) }]
    : []),
  ...(old_wg_key === null ? [] : [{ key: old_wg_key, is_removed: true } as const]),
]

/**
 * All that differs: strangers go first, so that an address is free for whoever has it now. Peers that are as they should
 * be are not touched.
 */
export function stepsOfComparison(
  wanted: readonly WantedPeer[],
  found: readonly FoundPeer[],
  savedEndpointOf: (key: string) => string | null,
): Step[] {
  const wantedKeys = new Set(wanted.map(({ wg_key }) => wg_key))
  const byKey = new Map(found.map((peer) => [peer.key, peer]))
  return [
    ...found.filter(({ key }) => !wantedKeys.has(key)).map(({ key }) => ({ key, is_removed: true }) as const),
    ...wanted
      .filter(({ wg_key, address }) => {
        const allowed = byKey.get(wg_key)?.allowed_ips ?? []
        return allowed.length !== 1 || allowed[0] !== `${address}/128`
      })
      .map(({ wg_key, address }) => ({
        key: wg_key,
        address,
        // Where it is known to be now is newer than what was saved.
        endpoint: byKey.get(wg_key)?.endpoint ? null : savedEndpointOf(wg_key),
      })),
  ]
}
