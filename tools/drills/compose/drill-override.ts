import { run } from '@crewhall/services/commands.ts'

interface ComposeConfig {
  readonly services: Readonly<Record<string, { readonly networks?: Readonly<Record<string, unknown>> }>>
}

export interface DrillOverride {
  readonly text: string
  /** Addresses in the network `inside`, by service. */
  readonly inside: ReadonlyMap<string, string>
}

const subnet = '172.30.85'

/** What podman cannot do of the compose file, for the table. */
export const dropped =
  'not tried: limits of processors, memory and processes (crun refuses control groups of both versions side by side), names in `inside` (podman 4.3 has none in such a network; addresses are given)'

/**
 * podman 4.3 has no names in a network without a way out, and asks any name server of a container that has several. So each
 * container gets a fixed address in `inside` and knows those of all others; Docker needs nothing of the kind.
 */
export async function overrideFor(
  compose: string,
  args: readonly string[],
  env: Record<string, string>,
  postgres_folder?: string,
): Promise<DrillOverride> {
  const shown = await run(compose, [...args, '--profile', 'hub', 'config', '--format', 'json'], { env })
  const { services } = JSON.parse(shown.slice(shown.indexOf('{\n'))) as ComposeConfig
  const names = Object.keys(services).sort()
  const within = names.filter((name) => services[name]?.networks && 'inside' in services[name].networks)
  const inside = new Map(within.map((name, at) => [name, `${subnet}.${at + 10}`]))
  const hosts = [...inside].map(([name, address]) => `      - ${name}:${address}\n`).join('')
  const lines = names.map((name) => {
    const address = inside.get(name)
    const place = address
      ? `    extra_hosts:\n${hosts}    networks:\n      inside: { ipv4_address: ${address} }\n`
      : ''
    return `  ${name}:\n    deploy: !reset null\n    cpu_shares: !reset null\n${place}`
  })
  const networks = `networks:\n  inside:\n    ipam:\n      config: [{ subnet: ${subnet}.0/24 }]\n`
  // A disk that can be filled without harm to the machine.
  const volumes = postgres_folder
    ? `volumes:\n  postgres-data:\n    driver_opts: { type: none, o: bind, device: ${postgres_folder} }\n`
    : ''
  return { text: `services:\n${lines.join('')}${networks}${volumes}`, inside }
}
