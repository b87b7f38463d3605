/** What a device should have and has, and the steps from one to the other. */

export interface WantedPeer {
  readonly wg_key: string
  readonly address: string
  /** A key that the desk is about to use: a peer that has no address yet, so that it can be heard. */
  readonly next_wg_key: string | null
}

export interface FoundPeer {
  readonly key: string
  readonly endpoint: string | null
  readonly allowed_ips: readonly string[]
}

export type Step =
  | { readonly key: string; readonly is_removed: true }
  | { readonly key: string; readonly address: string | null; readonly endpoint: string | null }

export interface Delta {
  readonly wg_key: string | null
  /** Null of a peer that waits until it is heard. */
  readonly address: string | null
  readonly old_wg_key: string | null
  /** Where it is taken to be. */
  readonly like_wg_key: string | null
}

/** A peer that replaces another is where that one was, so that nobody has to wait until it is heard. */
export function stepsOfDelta(
  { wg_key, address, old_wg_key, like_wg_key }: Delta,
  endpointOf: (key: string) => string | null,
): Step[] {
  const before = old_wg_key ?? like_wg_key
  // Where it was heard itself is newer.
  const isKnown = wg_key !== null && endpointOf(wg_key) !== null
  const endpoint = before === null || isKnown ? null : endpointOf(before)
  return [
    ...(wg_key === null ? [] : [{ key: wg_key, address, endpoint }]),
    ...(old_wg_key === null ? [] : [{ key: old_wg_key, is_removed: true } as const]),
  ]
}

/**
 * All that differs: strangers go first, so that an address is free for whoever has it now. Peers that are as they should
 * be are not touched.
 */
export function stepsOfComparison(
  wanted: readonly WantedPeer[],
  found: readonly FoundPeer[],
  savedEndpointOf: (key: string) => string | null,
): Step[] {
  const peers = wanted.flatMap(({ wg_key: key, address, next_wg_key: next }) => [
    { key, address, like: key },
    ...(next === null ? [] : [{ key: next, address: null, like: key }]),
  ])
  const wantedKeys = new Set(peers.map(({ key }) => key))
  const byKey = new Map(found.map((peer) => [peer.key, peer]))
  const placeOf = (key: string) => byKey.get(key)?.endpoint ?? savedEndpointOf(key)
  return [
    ...found.filter(({ key }) => !wantedKeys.has(key)).map(({ key }) => ({ key, is_removed: true }) as const),
    ...peers
      .filter(({ key, address }) => {
        const allowed = byKey.get(key)?.allowed_ips
        return allowed?.join() !== (address === null ? '' : `${address}/128`)
      })
      .map(({ key, address, like }) => ({
        key,
        address,
        // Where it is known to be now is newer than what was saved.
        endpoint: byKey.get(key)?.endpoint ? null : (savedEndpointOf(key) ?? placeOf(like)),
      })),
  ]
}

interface Heard {
  readonly key: string
  readonly handshake_at: number
}
/** Of keys that desks are about to use, those that the hub has heard a desk with. */
export function keysHeard(waiting: readonly string[], found: readonly Heard[]): string[] {
  const keys = new Set(waiting)
  return found.filter(({ key, handshake_at }) => handshake_at > 0 && keys.has(key)).map(({ key }) => key)
}
