import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

// Desks are in a corner of the loopback network; all the rest of this machine is what must not be reached.
const env = {
  DESK_NETWORKS: '127.77.0.0/16',
  DESK_CHECK_INTERVAL_MS: '200',
  DESK_CHECK_TIMEOUT_MS: '2000',
}
const server = useServer('product', env)
let hits = 0
const opened: Server[] = []
type Answering = (request: IncomingMessage, response: ServerResponse) => void
const listenOn = async (host: string, port: number, answer: Answering): Promise<number> => {
  const each = createServer(answer)
  opened.push(each)
  await new Promise<void>((resolve, reject) => each.once('error', reject).listen(port, host, resolve))
  return (each.address() as AddressInfo).port
}
let at: DeskWorkspace
let port = 0
beforeAll(async () => {
  const canary: Answering = (_, response) => {
    hits += 1
    response.end('{}')
  }
  port = await listenOn('127.0.0.1', 0, canary)
  await listenOn('::1', port, canary)
  at = await DeskWorkspace.open(server)
  await server.start('worker')
})
afterAll(() => Promise.all(opened.map((each) => new Promise((resolve) => each.close(resolve)))))

const urls = (p: number) => [
  `http://127.0.0.1:${p}`,
  `http://127.0.0.1:${p}/v1/health`,
  `https://127.0.0.1:${p}`,
  `http://localhost:${p}`,
  `http://LOCALHOST:${p}`,
  `http://localhost.:${p}`,
  `http://desk.localhost:${p}`,
  `http://127.1:${p}`,
  `http://127.0.1:${p}`,
  `http://2130706433:${p}`,
  `http://0x7f000001:${p}`,
  `http://0x7f.0.0.1:${p}`,
  `http://0177.0.0.1:${p}`,
  `http://017700000001:${p}`,
  `http://0:${p}`,
  `http://0.0.0.0:${p}`,
  `http://①②⑦.⓪.⓪.①:${p}`,
  `http://127。0。0。1:${p}`,
  `http://[::1]:${p}`,
  `http://[0:0:0:0:0:0:0:1]:${p}`,
  `http://[::]:${p}`,
  `http://[::ffff:127.0.0.1]:${p}`,
  `http://[::ffff:7f00:1]:${p}`,
  `http://[::127.0.0.1]:${p}`,
  `http://[64:ff9b::7f00:1]:${p}`,
  `http://[2002:7f00:1::]:${p}`,
  `http://[fe80::1%25lo]:${p}`,
  `http://127.77.0.1@127.0.0.1:${p}`,
  `http://127.77.0.1:80@127.0.0.1:${p}`,
  `http://127.0.0.1:${p}#@127.77.0.1/`,
  `http://127.0.0.1:${p}\\@127.77.0.1/`,
  `http://127.77.0.1%00@127.0.0.1:${p}`,
  `http://127.77.0.1.nip.io:${p}`,
  `http://127.77.0.1\t@127.0.0.1:${p}`,
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://100.100.100.200/latest/meta-data/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'file://localhost/passwd',
  `gopher://127.0.0.1:${p}/_GET`,
  `ftp://127.0.0.1:${p}/`,
  'http://[fd63:7265:7768::5]:8787',
]

test('check 18, ENV-G4: an address outside the networks of desks is 422, to people and to machines, and is never asked', async () => {
  const { workstation_id: id, pat } = await at.ordered()
  const desk = new DeskCaller(id, pat)
  const wrong: string[] = []
  for (const sidecar_url of urls(port)) {
    const changed = await at.change(id, { sidecar_url })
    const joined = await join(server.get, desk, { sidecar_url })
    if (changed.status !== 422 || joined.status !== 422)
      wrong.push(`${sidecar_url}: ${changed.status}, ${joined.status}`)
  }
  console.log(
    `${urls(port).length} addresses, each twice: ${wrong.length} taken; the canary has ${hits} hits`,
  )
  expect(urls(port).length).toBeGreaterThanOrEqual(40)
  expect(wrong).toEqual([])
  expect((await at.change(id, {})).body.sidecar_url).toBeNull()
  expect(hits).toBe(0)
})

test('check 18: a desk that leads checks elsewhere has missed them, and nobody follows', async () => {
  const leads: Record<string, (response: ServerResponse) => void> = {
    '301': (response) => response.writeHead(301, { location: `http://127.0.0.1:${port}/` }).end(),
    '302': (response) => response.writeHead(302, { location: `http://[::1]:${port}/` }).end(),
    '307': (response) => response.writeHead(307, { location: `//127.0.0.1:${port}/` }).end(),
    '200 with Refresh': (response) =>
      response.writeHead(200, { refresh: `0;url=http://127.0.0.1:${port}/` }).end('{}'),
    'alternative service': (response) =>
      response.writeHead(200, { 'alt-svc': `http/1.1="127.0.0.1:${port}"` }).end('{}'),
    'endless body': (response) => {
      response.writeHead(200)
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    },
  }
  const asked: Record<string, number> = {}
  const ids: string[] = []
  for (const [name, lead] of Object.entries(leads)) {
    const own = await listenOn('127.77.0.1', 0, (_, response) => {
      asked[name] = (asked[name] ?? 0) + 1
      lead(response)
    })
    const { workstation_id, pat } = await at.ordered({ name })
    const sidecar_url = `http://127.77.0.1:${own}`
    const { status } = await join(server.get, new DeskCaller(workstation_id, pat), { sidecar_url })
    expect(status).toBe(200)
    ids.push(workstation_id)
  }
  const isAsked = () => Object.keys(leads).every((name) => (asked[name] ?? 0) >= 3)
  await waitFor(isAsked, 60_000)
  const seen = await Promise.all(ids.map(async (id) => (await at.show(id)).body))
  expect(seen.map(({ status }) => status)).toEqual(ids.map(() => 'provisioning'))
  console.log(`${Object.keys(leads).length} desks that lead elsewhere: the canary has ${hits} hits`)
  expect(hits).toBe(0)
})
