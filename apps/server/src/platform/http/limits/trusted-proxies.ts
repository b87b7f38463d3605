import { addressOf, isWithin, networksOf } from '#platform/outbound/addresses.ts'

/** Whether a connection from this address is one of a proxy that we believe. */
export function createIsProxy(trustProxy: readonly string[]): (address: string | undefined) => boolean {
  const proxies = networksOf(trustProxy.flatMap(asNetworks))
  return (text) => {
    const address = proxies.length > 0 && text !== undefined ? addressOf(text) : undefined
    return address !== undefined && isWithin(address, proxies)
  }
}

/** The names that the framework knows beside addresses and networks. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** An address alone is a network of one. */
function asNetworks(text: string): readonly string[] {
  if (text.includes('/')) return [text]
  return named[text] ?? [`${text}/${text.includes(':') ? 128 : 32}`]
}
