import { run } from '@crewhall/services/commands.ts'

interface ComposeConfig {
  readonly services: Readonly<Record<string, { readonly networks?: Readonly<Record<string, unknown>> }>>
}

const subnet = '172.30.85'

/** Of a machine whose control groups cannot be shared out. */
export const podmanSettings = (networks: string): string => `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]
init_path = "/usr/bin/catatonit"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
[network]
network_backend = "cni"
network_config_dir = "${networks}"
`

/**
 * podman 4.3 has no names in a network without a way out, and asks any name server of a container that has several. So each
 * container gets a fixed address in `inside` and knows those of all others; Docker needs nothing of the kind. crun refuses limits
 * where control groups of both versions are side by side.
 */
export async function podmanOverride(
  compose: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<string> {
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
  return `services:\n${lines.join('')}${networks}`
}
