import { createHash, randomBytes, randomUUID } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { mostAttachmentBytes } from '@crewhall/contracts/boards/attachments.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { newFounder, Workspace } from '@crewhall/testkit/world/workspace.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { addresses, type ProxiedProduct } from './proxied-product.ts'
import { ask, fetchThrough, openSession, openTls, type Told } from './proxy-client.ts'
import type { StartedProxy } from './started-proxy.ts'

/** Marks what must be in no log. */
const secret = `crwl_${randomBytes(24).toString('hex')}`
const installUrl = `/install/sidecar?pat=${secret}&env_id=1&url=x&runtime=codex`

interface Crew {
  readonly work: Workspace
  readonly board_id: string
  readonly headers: Record<string, string>
}

/** What people do through it: read, write, listen and upload, also while processes are lost. */
export async function checkTraffic(
  check: DrillCheck,
  proxy: StartedProxy,
  product: ProxiedProduct,
): Promise<void> {
  const crew = await openCrew(proxy, product)
  await check('a stream delivers within a second, over HTTP/1.1 and HTTP/2', () => checkStreams(proxy, crew))
  await check('uploads up to the limit of the route, and no further', () => checkUploads(proxy, crew))
  await check('uploads that break off take no process away', () => checkBrokenUploads(proxy, crew))
  await check('an API process is killed: GETs are repeated, POSTs never', () =>
    checkKill(proxy, product, crew),
  )
  await check('a process that is told to stop loses no request', () => checkDrain(proxy, product, crew))
  await check('no process is left: a page for people, JSON for programs', () =>
    checkAway(proxy, product, crew),
  )
  await check('no query is in any log', async () => {
    for (const path of [installUrl, installUrl.replace('sidecar', 'sidecar.sha256')]) await ask(proxy, path)
    await askPlainly(proxy, installUrl)
    const referred = {
      referer: `${proxy.url}${installUrl}`,
      authorization: `Bearer ${secret}`,
      cookie: secret,
    }
    await ask(proxy, '/api/v1/me', { headers: referred })
    await waitFor(() => proxy.logs().includes('/install/sidecar.sha256'), 5000)
    const leaks = [...proxy.logs().split('\n'), ...product.lines()].filter((line) => line.includes(secret))
    expectThat(leaks.length === 0, `${leaks.length} lines, such as ${leaks[0]}`)
    return [true, `${proxy.logs().split('\n').length} lines of the proxy`]
  })
}

async function openCrew(proxy: StartedProxy, product: ProxiedProduct): Promise<Crew> {
  const founder = await newFounder({ get: fetchThrough(proxy), sql: product.access.sql })
  const work = new Workspace(founder)
  const { body } = await work.call<{ id: string }>('POST', '/api/v1/board/boards', {
    name: 'Board',
    key: 'KEY',
  })
  return {
    work,
    board_id: body.id,
    headers: { ...bearer(founder.token), 'content-type': 'application/json' },
  }
}

const tasksOf = ({ board_id }: Crew): string => `/api/v1/board/boards/${board_id}/tasks`

async function checkStreams(proxy: StartedProxy, crew: Crew): Promise<[true, string]> {
  const path = '/api/v1/events/stream'
  const slowest = []
  for (const open of [openStream, openStream2]) {
    const seen: string[] = []
    const close = await open(proxy, path, crew.headers, (text) => seen.push(text))
    const waits = []
    for (let round = 0; round < 5; round += 1) {
      const title = randomUUID()
      await crew.work.call('POST', tasksOf(crew), { title })
      const began = performance.now()
      await waitFor(() => seen.join('').includes(title), 5000)
      waits.push(performance.now() - began)
    }
    close()
    const worst = Math.max(...waits)
    expectThat(worst < 1000, `an event took ${worst.toFixed(0)} ms`)
    slowest.push(`${worst.toFixed(0)} ms`)
  }
  return [true, `slowest of 5 after the answer to its write: ${slowest.join(', ')}`]
}

type Hear = (text: string) => void

function openStream(proxy: StartedProxy, path: string, headers: Record<string, string>, hear: Hear) {
  const { port, host } = new URL(proxy.url)
  return new Promise<() => void>((resolve, reject) => {
    const place = { host: '127.0.0.1', port, servername: 'localhost', ca: proxy.ca, agent: false as const }
    const request = https.get({ ...place, path, headers: { ...headers, host, accept: 'text/event-stream' } })
    request.on('error', reject)
    request.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream was answered ${response.statusCode}`))
      response.setEncoding('utf8').on('data', hear)
      resolve(() => request.destroy())
    })
  })
}

async function openStream2(proxy: StartedProxy, path: string, headers: Record<string, string>, hear: Hear) {
  const session = await openSession(proxy)
  const stream = session.request({ ':path': path, ...headers, accept: 'text/event-stream' })
  stream.setEncoding('utf8').on('data', hear)
  await new Promise<void>((resolve, reject) => {
    stream.on('error', reject)
    stream.on('response', ({ ':status': status }) => {
      if (status === 200) resolve()
      else reject(new Error(`the stream was answered ${status}`))
    })
  })
  return () => session.destroy()
}

async function checkUploads(proxy: StartedProxy, crew: Crew): Promise<[true, string]> {
  const card = await crew.work.call<{ id: string }>('POST', tasksOf(crew), { title: 'With a file' })
  const path = `/api/v1/board/tasks/${card.body.id}/attachments`
  const bytes = randomBytes(mostAttachmentBytes)
  const began = performance.now()
  const added = await crew.work.call<{ id: string }>('POST', path, formOf('file', bytes, 'a.bin'))
  expectThat(added.status === 201, `${added.status}: ${added.text}`)
  const ms = performance.now() - began
  const back = await ask(proxy, `/api/v1/board/attachments/${added.body.id}/content`, {
    headers: crew.headers,
  })
  const same =
    createHash('sha256').update(back.body).digest('hex') === createHash('sha256').update(bytes).digest('hex')
  expectThat(same, `it came back with ${back.status} and ${back.body.length} bytes`)
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  const headers = { ...crew.headers, ...type, 'content-length': '28000000' }
  // Nothing is sent but the length, so that the refusal cannot come from bytes that were read.
  const refused = await ask(proxy, path, { method: 'POST', headers, limit_ms: 5000 })
  expectThat(refused.status === 413, `28 MB: ${refused.status}`)
  expectThat(refused.body.toString().startsWith('{"detail":'), `28 MB: ${refused.body}`)
  const onlyApi = await crew.work.call('POST', tasksOf(crew), { title: 'x'.repeat(1_100_000) })
  expectThat(onlyApi.status === 413, `1.1 MB of JSON: ${onlyApi.status}`)
  return [true, `25 MiB in ${ms.toFixed(0)} ms`]
}

/** A proxy that counted them as failures of the process would leave none for the others. */
async function checkBrokenUploads(proxy: StartedProxy, crew: Crew): Promise<[true, string]> {
  const head = [
    `POST ${tasksOf(crew)} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${crew.headers.authorization}`,
    'Content-Type: application/json',
  ]
  const endings = [
    ['Content-Length: 900000', '', '{"title":"half of it'],
    ['Transfer-Encoding: chunked', '', '10', '{"title":"half o', ''],
    ['Transfer-Encoding: chunked', '', 'zz', 'no chunk'],
  ]
  for (let round = 0; round < 10; round += 1)
    for (const ending of endings) {
      const socket = await openTls(proxy)
      socket.on('error', () => {})
      await new Promise<void>((resolve) => {
        socket.write([...head, ...ending].join('\r\n'), () => setImmediate(resolve))
      })
      socket.destroy()
      const { status, body } = await ask(proxy, '/api/v1/system/health')
      expectThat(status === 200, `after ${round * endings.length} of them: ${status} ${body}`)
    }
  return [true, `${10 * endings.length} of them`]
}

/** Ten requests of each kind wait for the same lock at both processes, and one process dies. */
async function checkKill(proxy: StartedProxy, product: ProxiedProduct, crew: Crew): Promise<[true, string]> {
  const [dying, staying] = addresses
  const other = product.apis.get(staying)
  const before = other?.lines.length ?? 0
  let settled = 0
  const send = (method: string) => {
    const id = randomUUID()
    const body = method === 'POST' ? { body: JSON.stringify({ title: id }) } : {}
    const headers = { ...crew.headers, 'x-request-id': id }
    const told = ask(proxy, tasksOf(crew), { method, headers, ...body })
    return { id, told: told.finally(() => (settled += 1)) }
  }
  const lock = await product.access.connection('superuser')
  const sent = await whileLocked(lock, async () => {
    const posts = Array.from({ length: 10 }, () => send('POST'))
    const gets = Array.from({ length: 10 }, () => send('GET'))
    const waiting = await waitFor(async () => {
      const counts = await Promise.all(addresses.map((at) => inFlight(product, at)))
      return counts.reduce((sum, count) => sum + count, 0) >= 20 && counts
    }, 10_000)
    await product.apis.get(dying)?.kill()
    product.apis.delete(dying)
    // Writes are given up at once; reads that are repeated wait for the lock again.
    await waitFor(() => settled > 0, 5000)
    return { posts, gets, waiting }
  })
  const reads = await Promise.all(sent.gets.map(({ told }) => told))
  const writes = await Promise.all(sent.posts.map(async ({ id, told }) => ({ id, ...(await told) })))
  await product.startApi(dying)
  const failedReads = reads.filter(({ status }) => status !== 200)
  expectThat(failedReads.length === 0, `GETs were answered ${failedReads.map(({ status }) => status)}`)
  const made = writes.filter(({ status }) => status === 201)
  const lost = writes.filter(({ status }) => status === 502)
  expectThat(made.length + lost.length === 10, `POSTs: ${writes.map(({ status }) => status)}`)
  // Otherwise nothing was shown: both processes have to have held both kinds.
  expectThat(lost.length > 0 && made.length > 0, `${lost.length} lost, ${made.length} made`)
  const [atDying = 0, atStaying = 0] = sent.waiting
  expectThat(atDying > lost.length, 'no GET waited where the process died')
  const seen = (other?.lines ?? []).slice(before).join('\n')
  const repeated = lost.filter(({ id }) => seen.includes(id))
  expectThat(repeated.length === 0, `${repeated.length} POSTs were sent again`)
  const titles = await product.access.sql<{ title: string; count: number }>(
    'select title, count(*)::int as count from boards.cards where title = any($1) group by title',
    [writes.map(({ id }) => id)],
  )
  expectThat(
    titles.every(({ count }) => count === 1),
    'a card was made twice',
  )
  const missing = made.filter(({ id }) => !titles.some(({ title }) => title === id))
  expectThat(missing.length === 0, `${missing.length} cards are missing`)
  await waitForBoth(proxy, product)
  const moved = atDying - lost.length
  return [true, `${atDying} and ${atStaying} in flight; ${moved} GETs repeated, ${lost.length} POSTs got 502`]
}

type Connection = Awaited<ReturnType<ProxiedProduct['access']['connection']>>

async function whileLocked<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query('begin; lock table boards.cards in access exclusive mode')
  try {
    return await work()
  } finally {
    await connection.query('rollback')
    await connection.end()
  }
}

async function inFlight(product: ProxiedProduct, at: string): Promise<number> {
  const text = await (await fetch(`http://${at}:${product.inside_port}/metrics`)).text()
  return Number(/^crewhall_http_in_flight (\d+)/m.exec(text)?.[1] ?? 0)
}

/** Until the proxy sends requests to both again. */
async function waitForBoth(proxy: StartedProxy, product: ProxiedProduct): Promise<void> {
  for (const at of addresses) {
    const api = product.apis.get(at)
    const before = api?.lines.length ?? 0
    await waitFor(async () => {
      await ask(proxy, '/api/v1/system/info')
      return (api?.lines.length ?? 0) > before
    }, 20_000)
  }
}

/** Requests of all kinds go on while one process is told to stop, and has gone. */
async function checkDrain(proxy: StartedProxy, product: ProxiedProduct, crew: Crew): Promise<[true, string]> {
  const statuses = new Map<string, number>()
  let stop = false
  const client = async (at: number) => {
    while (!stop) {
      const body = at % 2 === 0 ? { method: 'POST', body: JSON.stringify({ title: randomUUID() }) } : {}
      const key = await ask(proxy, tasksOf(crew), { headers: crew.headers, ...body }).then(
        ({ status, body }) => (status < 300 ? String(status) : `${status} ${body}`),
        (error: Error) => error.message,
      )
      statuses.set(key, (statuses.get(key) ?? 0) + 1)
    }
  }
  const clients = Array.from({ length: 8 }, (_, at) => client(at))
  const count = () => [...statuses.values()].reduce((sum, each) => sum + each, 0)
  try {
    for (const stopping of addresses) {
      const before = count()
      await waitFor(() => count() > before + 40, 20_000)
      await product.apis.get(stopping)?.stop()
      product.apis.delete(stopping)
      const at = count()
      await waitFor(() => count() > at + 40, 20_000)
      await product.startApi(stopping)
      await waitForBoth(proxy, product)
    }
  } finally {
    stop = true
    await Promise.all(clients)
  }
  const bad = [...statuses].filter(([status]) => status !== '200' && status !== '201')
  expectThat(bad.length === 0, bad.map(([status, times]) => `${times} times ${status}`).join(', '))
  return [true, `${count()} requests`]
}

async function checkAway(proxy: StartedProxy, product: ProxiedProduct, crew: Crew): Promise<[true, string]> {
  await Promise.all([...product.apis.values()].map((api) => api.kill()))
  product.apis.clear()
  const began = performance.now()
  const page = await ask(proxy, '/dashboard')
  const ms = performance.now() - began
  const first = page.status
  const isAway = ({ status, headers, body }: Told, text: string) => {
    expectThat(status === 502 || status === 503, `answered ${status}`)
    expectThat(
      headers['retry-after'] === '5' && headers['cache-control'] === 'no-store',
      JSON.stringify(headers),
    )
    expectThat(headers['strict-transport-security'] === 'max-age=31536000', 'without HSTS')
    expectThat(body.toString().includes(text), `says ${body}`)
  }
  isAway(page, 'Back in a moment')
  for (const path of [tasksOf(crew), '/mcp', installUrl]) isAway(await ask(proxy, path), '{"detail":"')
  isAway(
    await ask(proxy, tasksOf(crew), { method: 'POST', headers: crew.headers, body: '{}' }),
    '{"detail":"',
  )
  const still = await ask(proxy, '/metrics')
  expectThat(still.status === 404, `metrics: ${still.status}`)
  await Promise.all(addresses.map((at) => product.startApi(at)))
  const back = performance.now()
  await waitFor(async () => (await ask(proxy, '/api/v1/system/health')).status === 200, 20_000)
  const again = ((performance.now() - back) / 1000).toFixed(1)
  await waitForBoth(proxy, product)
  return [true, `${first} after ${ms.toFixed(0)} ms; served again ${again} s after the start`]
}

function askPlainly(proxy: StartedProxy, path: string): Promise<void> {
  const { port } = new URL(proxy.plain_url)
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume().on('end', resolve)
    })
    request.on('error', reject)
  })
}
