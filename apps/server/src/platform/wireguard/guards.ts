import type { RunCommand } from '#platform/wireguard/run-command.ts'

/**
 * Peers reach one port of the hub and nothing else. Three guards, each enough against a peer that reaches for another
 * one: nothing is forwarded in this network namespace, nothing is filtered through from or to the device, and WireGuard
 * itself takes from a peer no address but its own.
 */
export async function guardMesh(run: RunCommand, device: string, open_port: number): Promise<void> {
  // The file is that of the network namespace in which it is opened. In a container it cannot be written, and is set before.
  const file = '/proc/sys/net/ipv6/conf/all/forwarding'
  await run('sh', ['-c', `read -r now <${file}; [ "$now" = 0 ] || echo 0 >${file}`])
  await run('nft', ['--file', '-'], { input: rulesOf(device, open_port) })
}

/** Replaced in one step, so that there is no moment without rules. */
const rulesOf = (device: string, open_port: number): string => `
table inet ${device}
delete table inet ${device}
table inet ${device} {
  chain forward {
    type filter hook forward priority filter; policy accept;
    iifname "${device}" drop
    oifname "${device}" drop
  }
  chain input {
    type filter hook input priority filter; policy accept;
    iifname != "${device}" accept
    ct state established,related accept
    tcp dport ${open_port} accept
    drop
  }
}
`
