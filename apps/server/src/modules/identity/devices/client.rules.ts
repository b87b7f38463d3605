/** What a session keeps of where it was begun. Rough on purpose: enough to know one's own, and no trace of moves. */
export interface Origin {
  readonly client: string | null
  readonly network: string
}

/** The first that matches: most programs also name those they descend from. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]
/** Enough of a user agent to recognize it; the rest is ignored. */
const looked = 512

/**
 * Without versions, which change every month: a program that was updated is no new device. What is no browser is
 * called by the first word it says, if that is a plain one.
 */
export function deriveClient(user_agent: string | undefined): string | null {
  const told = user_agent?.slice(0, looked) ?? ''
  const nameIn = (table: typeof programs) => table.find(([form]) => form.test(told))?.[1]
  const program = nameIn(programs)
  if (!program) return /^[A-Za-z][A-Za-z0-9._-]{0,39}(?=[/ ]|$)/.exec(told)?.[0] ?? null
  const system = nameIn(systems)
  return system ? `${program} on ${system}` : program
}

/** Of a network as limits count it (an IPv4 address, or the /64 of an IPv6 one): the /24, or the /48. */
export function deriveNetwork(network: string): string {
  const [a, b, c] = network.split(network.includes(':') ? ':' : '.')
  return network.includes(':') ? `${a}:${b}:${c}::/48` : `${a}.${b}.${c}.0/24`
}
