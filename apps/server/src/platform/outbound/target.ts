import { addressOf, isPublic, isWithin, type Network } from '#platform/outbound/addresses.ts'

/** Where a URL leads, before any name was looked up. */
export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly is_name: boolean
  readonly port: number
  readonly is_secure: boolean
  /** With the query, without the fragment. */
  readonly path: string
  readonly host_header: string
  /** Whether a connection to this address is allowed: asked before, and again of the socket. */
  mayReach(address: string): boolean
}

const maxLength = 2048

/**
 * The target of a URL, or undefined when no connection to it could be allowed. The parser of the platform reads
 * `127.1`, `0x7f000001` or `①②⑦.0.0.1` as what they mean, so addresses are judged after it, never as text.
 */
export function targetOf(text: string, allowed: readonly Network[]): Target | undefined {
  // Blanks, backslashes and missing slashes are repaired by the parser, and by others differently.
  if (text.length > maxLength || !/^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) || !URL.canParse(text))
    return undefined
  const url = new URL(text)
  if (/^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)) || url.username || url.password) return undefined
  const is_secure = url.protocol === 'https:'
  const port = url.port === '' ? (is_secure ? 443 : 80) : Number(url.port)
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const literal = addressOf(host)
  // TLS to a well-known port of another protocol would only disturb that service.
  const mayBePublic = is_secure && (port === 443 || port >= 1024) && (literal || isPublicName(host))
  const mayReach = (address: string): boolean => {
    const found = addressOf(address)
    if (!found) return false
    return isWithin(found, allowed) || (Boolean(mayBePublic) && isPublic(found))
  }
  if (literal ? !mayReach(host) : !mayBePublic && allowed.length === 0) return undefined
  const path = `${url.pathname}${url.search}`
  return { host, is_name: !literal, port, is_secure, path, host_header: url.host, mayReach }
}

/**
 * The same for addresses that must lie within these networks and nowhere else, and that others add a path to. No name:
 * it may mean something else tomorrow.
 */
export function targetWithin(text: string, networks: readonly Network[]): Target | undefined {
  if (/[?#]/.test(text)) return undefined
  const target = targetOf(text, networks)
  const mayReach = (address: string): boolean => {
    const found = addressOf(address)
    return found !== undefined && isWithin(found, networks)
  }
  return target && !target.is_name && mayReach(target.host) ? { ...target, mayReach } : undefined
}

const insideNames = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|onion)$/

const isPublicName = (host: string): boolean =>
  /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(host) && host.length <= 253 && !insideNames.test(host)
