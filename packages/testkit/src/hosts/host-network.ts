import { attempt, run } from '@crewhall/services/commands.ts'

/** The line of a host: its own network namespace, joined to this machine, which lets it out under its own address. */
export interface HostNetwork {
  readonly namespace: string
  /** Chooses the names and addresses on this side. */
  readonly line: number
}

const lines = 250
const deviceOf = (line: number) => `chost${line}`
const tableOf = (namespace: string) => `host_${namespace}`

/** Where this machine is, seen from the host. */
export const gatewayOf = ({ line }: HostNetwork): string => `10.77.${line}.1`
export const addressOf = ({ line }: HostNetwork): string => `10.77.${line}.2`

export async function makeNetwork(namespace: string): Promise<HostNetwork> {
  await run('ip', ['netns', 'add', namespace])
  const network = { namespace, line: await takeLine(namespace) }
  const device = deviceOf(network.line)
  await ip(`addr add ${gatewayOf(network)}/24 dev ${device}`)
  await ip(`link set ${device} up`)
  await ip(`-n ${namespace} addr add ${addressOf(network)}/24 dev eth0`)
  await ip(`-n ${namespace} link set eth0 up`)
  await ip(`-n ${namespace} link set lo up`)
  await ip(`-n ${namespace} route add default via ${gatewayOf(network)}`)
  await run('sysctl', ['--quiet', '--write', 'net.ipv4.ip_forward=1'])
  const rules = `table ip ${tableOf(namespace)} {
    chain out {
      type nat hook postrouting priority srcnat
      ip saddr 10.77.${network.line}.0/24 oifname != "${device}" masquerade
    }
  }`
  await run('nft', ['--file', '-'], { input: rules })
  return network
}

/** The kernel has no two devices of one name, so runs at the same time do not meet. */
async function takeLine(namespace: string): Promise<number> {
  for (let line = 1; line <= lines; line += 1) {
    const { code, output } = await attempt(
      'ip',
      `link add ${deviceOf(line)} type veth peer name eth0 netns ${namespace}`.split(' '),
    )
    if (code === 0) return line
    if (!output.includes('File exists')) throw new Error(output)
  }
  throw new Error(`all ${lines} lines for hosts are taken`)
}

/** Also what is only half made. Processes that were started in it end with it. */
export async function removeNetwork(namespace: string, line: number | undefined): Promise<void> {
  const { code, output } = await attempt('ip', ['netns', 'pids', namespace])
  for (const pid of code === 0 ? output.trim().split('\n').filter(Boolean) : [])
    await attempt('kill', ['-s', 'KILL', pid])
  if (line !== undefined) await attempt('ip', ['link', 'delete', deviceOf(line)])
  await attempt('nft', ['delete', 'table', 'ip', tableOf(namespace)])
  await attempt('ip', ['netns', 'delete', namespace])
}

const ip = (words: string): Promise<string> => run('ip', words.split(' '))
