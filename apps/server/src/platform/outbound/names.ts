import { Resolver } from 'node:dns/promises'

/** All addresses of a name, of both families; empty if it has none or no server responds. */
export type AddressesOf = (name: string) => Promise<readonly string[]>

/**
 * Queries name servers directly. The resolver of the operating system blocks one of the four threads that hashing and
 * files also need, for as long as a hostile name server likes.
 */
export function createAddressesOf(servers: readonly string[]): AddressesOf {
  const resolver = new Resolver({ timeout: 1500, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return async (name) => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  }
}
