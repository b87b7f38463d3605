import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { hubAddress, late, MeshBed, type MeshDesk, openPort, pings, toWg } from './mesh-bed.ts'

const bed = new MeshBed()
const tries = 100
const closedPort = openPort + 1
let mine: MeshDesk
let sibling: MeshDesk
let foreign: MeshDesk

/** A program for Node: connects so often at once, and prints how many succeeded. */
const connecting = `
  const [host, port, tries] = process.argv.slice(1)
  const once = () => new Promise((done) => {
    const socket = require('node:net').connect({ host, port: Number(port) })
    const end = (ok) => { socket.destroy(); done(ok) }
    socket.on('connect', () => end(1)).on('error', () => end(0)).setTimeout(2500, () => end(0))
  })
  Promise.all(Array.from({ length: Number(tries) }, once)).then((all) => console.log(all.reduce((a, b) => a + b, 0)))`
const listening = `for (const port of process.argv.slice(1))
  require('node:net').createServer((socket) => socket.end()).listen(Number(port), '::')`

const connects = async (port: number): Promise<number> =>
  Number(await mine.network.run(process.execPath, '-e', connecting, hubAddress, String(port), String(tries)))

/** Packets from this source that reach a network, before anything there drops them. */
const counting = async ({ network }: Pick<MeshDesk, 'network'>, device: string, source: string) => {
  await network.attempt('nft', 'delete', 'table', 'inet', 'seen')
  await network.run(
    'nft',
    `table inet seen { chain incoming { type filter hook prerouting priority -500; iifname "${device}" ip6 saddr ${source} counter; }; }`,
  )
  return async () => {
    const list = await network.run('nft', 'list', 'table', 'inet', 'seen')
    return Number(/packets (\d+)/.exec(list)?.[1])
  }
}

/** How many packets of mine arrive at another desk. */
async function arrivalsAt(other: MeshDesk): Promise<number> {
  const count = await counting(other, other.device, mine.address)
  await pings(mine.network, other.address, tries)
  return count()
}

/** How many packets that I send in the name of another desk arrive at the hub. */
async function spoofed(): Promise<number> {
  const { network, device } = mine
  const count = await counting(bed, bed.device, foreign.address)
  await network.run('ip', '-6', 'address', 'add', `${foreign.address}/128`, 'dev', device, 'nodad')
  try {
    await pings(network, hubAddress, tries, '-I', foreign.address)
  } finally {
    await network.run('ip', '-6', 'address', 'del', `${foreign.address}/128`, 'dev', device)
  }
  return count()
}

/** What gets through where nothing should. */
const leaks = async () => ({
  foreign_desk: await arrivalsAt(foreign),
  own_desk: await arrivalsAt(sibling),
  spoofed: await spoofed(),
  other_port: await connects(closedPort),
})
const none = { foreign_desk: 0, own_desk: 0, spoofed: 0, other_port: 0 }
/** A busy machine drops some. */
const most: unknown = expect.closeTo(tries, -2)
const all = { foreign_desk: most, own_desk: most, spoofed: most, other_port: most }

/** Takes a guard away and returns how to put it back. */
const guards = {
  async forwarding() {
    const set = (value: number) =>
      bed.network.run('sysctl', '--quiet', '--write', `net.ipv6.conf.all.forwarding=${value}`)
    await set(1)
    return () => set(0)
  },
  async filter() {
    const rules = await bed.network.run('nft', '--stateless', 'list', 'table', 'inet', bed.device)
    await bed.network.run('nft', 'delete', 'table', 'inet', bed.device)
    return () => bed.network.run('nft', rules)
  },
  /** Mine may speak for the foreign desk as well, which then gets nothing. */
  async addresses() {
    const allow = (desk: MeshDesk, ...ips: string[]) =>
      bed.network.run('wg', 'set', bed.device, 'peer', toWg(desk.key), 'allowed-ips', ips.join(','))
    await allow(mine, `${mine.address}/128`, `${foreign.address}/128`)
    return async () => {
      await allow(mine, `${mine.address}/128`)
      await allow(foreign, `${foreign.address}/128`)
    }
  },
}

beforeAll(async () => {
  await bed.startHub()
  const [one, other] = [await bed.newMember(), await bed.newMember()]
  mine = await bed.join(one)
  sibling = await bed.join(one)
  foreign = await bed.join(other)
  // Its one port has the hub itself.
  bed.network.start(process.execPath, '-e', listening, String(closedPort))
  const peers = [mine, sibling, foreign]
  await waitFor(async () => (await bed.peers()).length === peers.length, 5000)
  for (const desk of peers) {
    // It calls the hub, which has to know where it is.
    await desk.network.attempt('ping', '-6', '-c', '1', '-W', '1', hubAddress)
    await waitFor(async () => (await pings(bed.network, desk.address, 1)) === 1, 10_000)
  }
})

test(`check 17: the hub reaches each desk ${tries} of ${tries} times, and a desk its one port`, async () => {
  for (const desk of [mine, sibling, foreign])
    expect(await pings(bed.network, desk.address, tries, ...late)).toBe(tries)
  await waitFor(async () => (await connects(openPort)) === tries, 10_000)
})

test(`check 17: 0 of ${tries} get to a foreign desk, to one of the own workspace, in another's name, or to another port`, async () => {
  expect(await leaks()).toEqual(none)
})

test('check 17: without one guard, the others hold', async () => {
  const found: Record<string, unknown> = {}
  for (const [name, takeAway] of Object.entries(guards)) {
    const putBack = await takeAway()
    found[name] = await leaks()
    await putBack()
  }
  expect(found).toEqual({
    forwarding: none,
    // Nothing else closes the ports of the hub.
    filter: { ...none, other_port: most },
    // Nothing else tells who a packet is from.
    addresses: { ...none, spoofed: most },
  })
})

test('check 17: without any guard everything gets through, so that this test can see', async () => {
  const putBack: (() => Promise<unknown>)[] = [await guards.forwarding(), await guards.filter()]
  const { foreign_desk, own_desk, other_port } = await leaks()
  // Afterwards, because packets to the foreign desk would come back to mine.
  putBack.push(await guards.addresses())
  expect({ foreign_desk, own_desk, other_port, spoofed: await spoofed() }).toEqual(all)
  for (const back of putBack) await back()
  expect(await leaks()).toEqual(none)
})
