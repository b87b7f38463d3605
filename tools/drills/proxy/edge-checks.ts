import http from 'node:http'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import type { ProxiedProduct } from './proxied-product.ts'
import { ask, openSession, type ProxyPlace, shakeHands, type Told } from './proxy-client.ts'

const health = '/api/v1/system/health'
const hsts = 'max-age=31536000'

/** What anybody on the Internet meets: protocols, redirect, headers, and what is not for them. */
export async function checkEdge(
  check: DrillCheck,
  proxy: ProxyPlace,
  product: ProxiedProduct,
): Promise<void> {
  await check('TLS 1.2 and 1.3, and nothing older or weaker', () => checkProtocols(proxy))
  await check('HTTP/2 is agreed on', async () => {
    const session = await openSession(proxy)
    const { alpnProtocol } = session
    session.destroy()
    expectThat(alpnProtocol === 'h2', `agreed on ${alpnProtocol}`)
    return [true, '']
  })
  await check('plain HTTP is sent on to the public address', async () => {
    const told = await askPlain(proxy, '/dashboard?x=1')
    const wanted = `${proxy.url}/dashboard?x=1`
    expectThat(
      told.status === 308 && told.headers.location === wanted,
      `${told.status} ${told.headers.location}`,
    )
    const other = await askPlain(proxy, '/x', 'evil.example')
    expectThat(other.headers.location === `${proxy.url}/x`, `sent on to ${other.headers.location}`)
    return [true, String(told.status)]
  })
  await check('HSTS once on pages, refusals and own answers; no version', async () => {
    const statuses = []
    for (const path of [health, '/dashboard', '/api/v1/board/boards', '/nowhere', '/metrics']) {
      const { status, headers } = await ask(proxy, path)
      statuses.push(status)
      const said = headers['strict-transport-security']
      expectThat(said === hsts, `${path} has ${said}`)
      expectThat(!headers.server || headers.server === 'nginx', `${path} says ${headers.server}`)
      expectThat(!headers.via, `${path} came via ${headers.via}`)
    }
    return [true, statuses.join(', ')]
  })
  await check('metrics and probes cannot be reached, however they are spelled', () =>
    checkInside(proxy, product),
  )
  await check('forged forwarding headers change nothing', () => checkForged(proxy, product))
}

async function checkProtocols(proxy: ProxyPlace): Promise<[true, string]> {
  const spoken = []
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const hands = await shakeHands(proxy, { version })
    expectThat(hands.startsWith(version), `${version}: ${hands}`)
    spoken.push(hands)
  }
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const hands = await shakeHands(proxy, { version })
    // A refusal by the server: had our own side refused, nothing would be known.
    expectThat(hands === 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', `${version}: ${hands}`)
  }
  for (const ciphers of [
    'AES128-SHA:AES256-SHA:@SECLEVEL=0',
    'NULL:eNULL:@SECLEVEL=0',
    'DES-CBC3-SHA:@SECLEVEL=0',
  ]) {
    const hands = await shakeHands(proxy, { version: 'TLSv1.2', ciphers })
    expectThat(hands.startsWith('ERR_SSL_'), `${ciphers}: ${hands}`)
  }
  return [true, spoken.join(', ')]
}

function askPlain(proxy: ProxyPlace, path: string, host = 'localhost'): Promise<Told> {
  const { port } = new URL(proxy.plain_url)
  return new Promise((resolve, reject) => {
    const request = http.get(
      { host: '127.0.0.1', port, path, headers: { host }, agent: false },
      (response) => {
        response.resume()
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers: headers as Record<string, string>, body: Buffer.alloc(0) })
      },
    )
    request.on('error', reject)
  })
}

const spellings = [
  '/metrics',
  '/metrics/',
  '/metrics?x',
  '/METRICS',
  '//metrics',
  '/%6Detrics',
  '/x/../metrics',
]
const furtherSpellings = [
  '/./metrics',
  '/metrics%2f',
  '/metrics/..%2fmetrics',
  '/ready',
  '/live',
  '/%72eady',
  '/ready/',
  '/live?x=1',
]

async function checkInside(proxy: ProxyPlace, product: ProxiedProduct): Promise<[true, string]> {
  const inside = await fetch(`http://127.0.1.1:${product.inside_port}/metrics`)
  expectThat((await inside.text()).includes('crewhall_http_in_flight'), 'there are no metrics inside')
  const paths = [...spellings, ...furtherSpellings]
  for (const path of paths) {
    const { status, body } = await ask(proxy, path)
    expectThat(status === 404, `${path}: ${status}`)
    expectThat(!/crewhall_|"ready"|"live"/.test(body.toString()), `${path}: ${body}`)
  }
  return [true, `${paths.length} spellings`]
}

/** Not that of the proxy, and told by a session to the width of a network. */
const elsewhere = '127.0.9.9'

async function checkForged(proxy: ProxyPlace, product: ProxiedProduct): Promise<[true, string]> {
  const forged = {
    'x-forwarded-for': '203.0.113.77',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'evil.example',
    'x-real-ip': '203.0.113.77',
    forwarded: 'for=203.0.113.77',
  }
  const seen = await networkOfSession((path, how) => ask(proxy, path, { ...how, from: elsewhere }), forged)
  expectThat(seen === '127.0.9.0/24', `through the proxy it came from ${seen}`)
  // Past the proxy, which a network policy should prevent, nobody is believed either.
  const direct = await networkOfSession((path, how) => askDirectly(product, path, how), forged)
  expectThat(direct === '127.0.9.0/24', `past the proxy it came from ${direct}`)
  return [true, 'the true address through the proxy and past it']
}

type Asking = (
  path: string,
  how: { method?: string; headers: Record<string, string>; body?: string },
) => Promise<Told>

/** Signs up a person and returns the network that their session is said to come from. */
async function networkOfSession(asking: Asking, headers: Record<string, string>): Promise<string> {
  const email = `p${Math.random().toString(36).slice(2)}@example.test`
  const body = JSON.stringify({
    email,
    password: 'correct horse battery',
    full_name: 'Ann',
    brand_name: 'Work',
  })
  const type = { 'content-type': 'application/json' }
  const signed = await asking('/api/v1/auth/sign-up', {
    method: 'POST',
    headers: { ...headers, ...type },
    body,
  })
  expectThat(signed.status === 201, `sign-up: ${signed.status} ${signed.body}`)
  const cookie = signed.headers['set-cookie']?.split(';', 1)[0] ?? ''
  const listed = await asking('/api/v1/me/sessions', { headers: { ...headers, cookie } })
  expectThat(listed.status === 200, `sessions: ${listed.status} ${listed.body}`)
  const { sessions } = JSON.parse(listed.body.toString()) as { sessions: { network: string }[] }
  return sessions[0]?.network ?? ''
}

function askDirectly(product: ProxiedProduct, path: string, how: Parameters<Asking>[1]): Promise<Told> {
  const { method = 'GET', headers, body } = how
  return new Promise((resolve, reject) => {
    const place = {
      host: '127.0.1.1',
      port: product.http_port,
      localAddress: elsewhere,
      agent: false as const,
    }
    const request = http.request({ ...place, path, method, headers }, async (response) => {
      const parts: Buffer[] = []
      for await (const bytes of response) parts.push(bytes as Buffer)
      const told = Object.entries(response.headers).map(([key, value]) => [key, String(value)])
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(told),
        body: Buffer.concat(parts),
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}
