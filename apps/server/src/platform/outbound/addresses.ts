import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = readonly [Address, number]

/** Networks such as `10.1.0.0/16`, as an operator writes them. */
export const networksOf = (texts: readonly string[]): Network[] => texts.map((text) => ipaddr.parseCIDR(text))

export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text)

/** The address that a text means, or undefined when it is a name. IPv4 inside IPv6 counts as what it is. */
export function addressOf(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined
}

export const isWithin = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** Metadata service inside the machines of one cloud, at an address that looks public. */
const cloudInside = '168.63.129.16'

/** An address of the public Internet and nothing else: whatever is special, unknown or in doubt is not. */
export function isPublic(address: Address): boolean {
  return isFour(address) ? isPublicFour(address) : isPublicSix(address)
}

const isFour = (address: Address): address is ipaddr.IPv4 => address.kind() === 'ipv4'

const isPublicFour = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && address.toString() !== cloudInside

function isPublicSix(address: ipaddr.IPv6): boolean {
  const [first = 0, second = 0, ...rest] = address.parts
  // NAT64: networks without IPv4 reach it through these, so what counts is the address inside.
  if (first === 0x64 && second === 0xff9b && rest.slice(0, 4).every((part) => part === 0)) {
    return isPublicFour(new ipaddr.IPv4(address.toByteArray().slice(12)))
  }
  // Only 2000::/3 is handed out. Of it, 6to4, Teredo and the rest of the special ranges carry other addresses.
  const isGlobal = first >= 0x2000 && first <= 0x3fff
  return isGlobal && address.range() === 'unicast' && !isIsatap(address)
}

/** An interface id that stands for an IPv4 address of the network behind it. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean =>
  (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe
