// What `wg` is told and tells. Keys are in base64url elsewhere.

export interface DevicePeer {
  readonly key: string
  /** Where it was last heard from. */
  readonly endpoint: string | null
  readonly allowed_ips: readonly string[]
  /** Seconds since 1970; 0 if there was none. */
  readonly handshake_at: number
}

export type PeerChange =
  | { readonly key: string; readonly is_removed: true }
  /** Without an address it can call and is called, and nothing else is taken from it or sent to it. */
  | { readonly key: string; readonly address: string | null; readonly endpoint: string | null }

const toWg = (key: string): string => Buffer.from(key, 'base64url').toString('base64')
const fromWg = (key: string): string => Buffer.from(key, 'base64').toString('base64url')

/** The lines of `wg show <device> dump` after the first, which is about the device. */
export const parseDump = (dump: string): DevicePeer[] =>
  dump
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => {
      const [key = '', , endpoint = '', allowed = '', handshake = '0'] = line.split('\t')
      return {
        key: fromWg(key),
        endpoint: endpoint === '(none)' ? null : endpoint,
        allowed_ips: allowed === '(none)' ? [] : allowed.split(','),
        handshake_at: Number(handshake),
      }
    })

/** One peer has one address and no more: that is what keeps it from speaking for another one. */
export const changeWords = (change: PeerChange): string[] =>
  'is_removed' in change
    ? ['peer', toWg(change.key), 'remove']
    : [
        ...['peer', toWg(change.key), 'allowed-ips', change.address === null ? '' : `${change.address}/128`],
        ...(change.endpoint === null ? [] : ['endpoint', change.endpoint]),
      ]
