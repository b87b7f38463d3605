/**
 * The key of a rate limit: an IPv4 address, or the /64 of an IPv6 one, because a client that has one of its addresses has
 * all of them. Parsed by hand, since general parsers cost more than the rest of the request.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address
  const mapped = address.lastIndexOf(':')
  if (address.includes('.')) return address.slice(mapped + 1)
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0')
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`
}
