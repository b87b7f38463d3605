import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { hostileUrls } from '@crewhall/testkit/hostile/hostile-urls.ts'
import { startNameServer } from '@crewhall/testkit/name-server.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { addressOf, isPublic } from '#platform/outbound/addresses.ts'
import { createOutbound } from '#platform/outbound/outbound.ts'
import { targetOf } from '#platform/outbound/target.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const receiver = (answer: RequestListener) => listen(createServer(answer))
const names = async (answers: Parameters<typeof startNameServer>[0]) => {
  const server = await startNameServer(answers)
  closing.push(() => server.close())
  return server
}
const post = (url: string, more: object = {}) =>
  ({ url, method: 'POST', headers: {}, body: '{}', limit_ms: 5000, wants: 'body', ...more }) as const
const inside = { allowed_networks: ['127.0.0.0/8'], name_servers: [] }
const closed = { allowed_networks: [], name_servers: [] }

describe('a URL', () => {
  test.each(hostileUrls)('%j is refused before anything is asked', async (url) => {
    expect(targetOf(url, [])).toBe(undefined)
    expect(await createOutbound(closed).call(outside, post(url))).toEqual({ failure: 'address' })
  })

  test.each([
    'https://93.184.215.14/',
    'https://93.184.215.14:8443/a?b=c',
    'https://example.com/hook',
    'HTTPS://Example.COM/hook#fragment',
    'https://bücher.example/',
    'https://example.com.',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    'https://[64:ff9b::5db8:d70e]/',
    'https://[::ffff:93.184.215.14]/',
  ])('%j may be public', (url) => {
    expect(targetOf(url, [])).toBeDefined()
  })

  test('leaves what stands behind # at home', () => {
    expect(targetOf('https://example.com/a?b=c#d', [])?.path).toBe('/a?b=c')
  })
})

test('an address that is written in IPv6 is judged as the IPv4 address that it is', () => {
  const four = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((octets) => octets.join('.'))
  const judged = (text: string) => {
    const address = addressOf(text)
    return address && isPublic(address)
  }
  fc.assert(
    fc.property(four, (text) => {
      for (const wrapped of [`::ffff:${text}`, `64:ff9b::${text}`]) expect(judged(wrapped)).toBe(judged(text))
    }),
  )
})

describe('a name', () => {
  test('is refused when one of its addresses is not public', async () => {
    const server = await names({ 'mixed.example': ['93.184.215.14', '10.0.0.1'] })
    const outbound = createOutbound({ allowed_networks: [], name_servers: [server.address] })
    expect(await outbound.mayCall(outside, 'https://mixed.example/')).toBe(false)
    expect(await outbound.call(outside, post('https://mixed.example/'))).toEqual({ failure: 'address' })
  })

  test('is refused when only its IPv6 address is not public', async () => {
    const server = await names({ 'six.example': ['93.184.215.14', 'fd00::1'] })
    const outbound = createOutbound({ allowed_networks: [], name_servers: [server.address] })
    expect(await outbound.mayCall(outside, 'https://six.example/')).toBe(false)
  })

  test('is looked up once for a call: a second answer cannot lead elsewhere', async () => {
    const port = await receiver((_, answer) => answer.end('found'))
    const answers = [['127.0.0.1'], ['127.66.66.66']]
    const server = await names({ 'turn.internal': () => answers.shift() ?? ['127.66.66.66'] })
    const outbound = createOutbound({ ...inside, name_servers: [server.address] })
    const result = await outbound.call(outside, post(`http://turn.internal:${port}/`))
    expect(result).toMatchObject({ status: 200, body: Buffer.from('found') })
    expect(server.asked.filter((each) => each === 'A turn.internal')).toHaveLength(1)
  })

  test('that turned to the inside since it was checked is refused', async () => {
    const port = await receiver((_, answer) => answer.end('secret'))
    let address = '93.184.215.14'
    const server = await names({ 'turn.example': () => [address] })
    const outbound = createOutbound({ allowed_networks: [], name_servers: [server.address] })
    const url = `https://turn.example:${port}/`
    expect(await outbound.mayCall(outside, url)).toBe(true)
    address = '127.0.0.1'
    expect(await outbound.call(outside, post(url))).toEqual({ failure: 'address' })
  })

  test('of the outside is not allowed without TLS, whatever the operator allows', async () => {
    const server = await names({ 'out.example': ['93.184.215.14'] })
    const outbound = createOutbound({ ...inside, name_servers: [server.address] })
    expect(await outbound.mayCall(outside, 'http://out.example/')).toBe(false)
  })

  test('that nobody knows may come to be, and cannot be called', async () => {
    const server = await names({})
    const outbound = createOutbound({ allowed_networks: [], name_servers: [server.address] })
    expect(await outbound.mayCall(outside, 'https://nobody.example/')).toBe(true)
    expect(await outbound.call(outside, post('https://nobody.example/'))).toEqual({ failure: 'unresolved' })
  })
})

describe('a call', () => {
  test('follows no redirect', async () => {
    let calls = 0
    const port = await receiver((_, answer) => {
      calls += 1
      answer.writeHead(302, { location: '/elsewhere' }).end()
    })
    const result = await createOutbound(inside).call(outside, post(`http://127.0.0.1:${port}/`))
    expect([result, calls]).toMatchObject([{ status: 302 }, 1])
  })

  test.each([
    [65_536, { status: 200 }],
    [65_537, { failure: 'too_large' }],
  ])('reads an answer of %i bytes as %j', async (size, expected) => {
    const port = await receiver((_, answer) => answer.end('x'.repeat(size)))
    expect(await createOutbound(inside).call(outside, post(`http://127.0.0.1:${port}/`))).toMatchObject(
      expected,
    )
  })

  test('ends at its limit although the answer keeps trickling in', async () => {
    const port = await receiver((_, answer) => {
      answer.writeHead(200)
      const drip = setInterval(() => answer.write('x'), 20)
      answer.on('close', () => clearInterval(drip))
    })
    const result = await createOutbound(inside).call(
      outside,
      post(`http://127.0.0.1:${port}/`, { limit_ms: 300 }),
    )
    expect(result).toEqual({ failure: 'timeout' })
  })

  test('tells a status as soon as it is there', async () => {
    const port = await receiver((_, answer) => void answer.writeHead(202).write('never ends'))
    const call = post(`http://127.0.0.1:${port}/`, { wants: 'status' })
    expect(await createOutbound(inside).call(outside, call)).toMatchObject({ status: 202 })
  })

  test('can be taken back', async () => {
    const abort = new AbortController()
    const port = await receiver(() => abort.abort())
    const call = post(`http://127.0.0.1:${port}/`, { signal: abort.signal })
    expect(await createOutbound(inside).call(outside, call)).toEqual({ failure: 'aborted' })
  })

  test('tells what is no HTTP, and what is not there', async () => {
    const nonsense = await listen(createTcpServer((socket) => void socket.end('220 mail.example ESMTP\r\n')))
    const silent = await listen(createTcpServer((socket) => socket.destroy()))
    const outbound = createOutbound(inside)
    expect(await outbound.call(outside, post(`http://127.0.0.1:${nonsense}/`))).toEqual({
      failure: 'protocol',
    })
    expect(await outbound.call(outside, post(`http://127.0.0.1:${silent}/`))).toEqual({
      failure: 'unreachable',
    })
    expect(await outbound.call(outside, post('http://127.0.0.1:1/'))).toEqual({ failure: 'unreachable' })
  })

  test('sends nothing to a receiver whose certificate nobody vouches for', async () => {
    let calls = 0
    const port = await listen(
      createSecureServer(selfSigned('hooks.internal'), (_, answer) => {
        calls += 1
        answer.end()
      }),
    )
    const server = await names({ 'hooks.internal': ['127.0.0.1'] })
    const outbound = createOutbound({ ...inside, name_servers: [server.address] })
    expect(await outbound.call(outside, post(`https://hooks.internal:${port}/`))).toEqual({ failure: 'tls' })
    expect(calls).toBe(0)
  })
})
