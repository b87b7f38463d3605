import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { attempt, type Outcome, run } from '@crewhall/services/commands.ts'
import { afterAll } from 'vitest'
import { type HostFacts, makeFolder, noteFacts, removeHost } from './host-folder.ts'
import { addressOf, gatewayOf, makeNetwork } from './host-network.ts'
import { ownerOfRun } from './process-mark.ts'

/** The network of a machine without the machine: programs of this one run in it. */
export interface TestNetwork {
  readonly id: string
  readonly address: string
  attempt(program: string, ...args: string[]): Promise<Outcome>
  run(program: string, ...args: string[]): Promise<string>
  /** Runs until the network is removed. */
  start(program: string, ...args: string[]): void
  /** The address with this machine in place of its host, where something passes it on to this machine's own. */
  reach(url: string): Promise<string>
}

/** Networks of a test file, which are removed at its end with all that runs in them. */
export function useNetworks(): { make(): Promise<TestNetwork> } {
  const ends: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return {
    async make() {
      let facts: HostFacts = { id: `n${randomBytes(4).toString('hex')}`, owner: ownerOfRun() }
      const { id } = facts
      makeFolder(facts)
      ends.push(() => removeHost(facts))
      const network = await makeNetwork(id)
      facts = { ...facts, line: network.line }
      noteFacts(facts)
      const inside = (args: string[]) => ['netns', 'exec', id, ...args]
      return {
        id,
        address: addressOf(network),
        attempt: (...args) => attempt('ip', inside(args)),
        run: (...args) => run('ip', inside(args)),
        start(...args) {
          spawn('ip', inside(args), { stdio: 'ignore' })
        },
        async reach(url) {
          const relay = await startRelay(gatewayOf(network), new URL(url))
          ends.push(relay.close)
          return relay.url
        },
      }
    },
  }
}

async function startRelay(host: string, target: URL): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) })
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  server.listen(0, host)
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = host
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async close() {
      server.close()
    },
  }
}
