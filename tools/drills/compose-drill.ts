import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request } from 'node:https'
import { join, resolve } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { ensureCompose } from '@crewhall/services/docker-compose.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { buildImage } from '../image/build-image.ts'
import { type ContainerStorage, findObstacle, openStorage } from '../image/container-storage.ts'
import type { Drill, DrillCheck } from './drill.ts'
import { ensureNodeBase, npmSettings } from './node-base.ts'
import { ensurePartImages } from './part-images.ts'
import { type PodmanService, startPodman } from './podman-service.ts'

const production = resolve(import.meta.dirname, '../../deploy/production')
const composeFile = join(production, 'compose.yaml')
const host = 'crewhall.test'

/** The compose file of production, really brought up: built images, parts under their public names, TLS at the proxy. */
export const composeDrill: Drill = {
  name: 'compose',
  async obstacle() {
    if (!existsSync('/usr/bin/catatonit')) return 'catatonit is not installed'
    return findObstacle()
  },
  async run(check) {
    const storage = openStorage()
    // To look at one thing again and again: images as the last drill left them.
    if (process.env.DRILL_IMAGES !== 'kept')
      await check('images build from the last commit', async () => {
        const how = { storage, node_digest: await ensureNodeBase(storage), npmrc: await npmSettings() }
        const server = await buildImage({ ...how, target: 'server', name: 'localhost/crewhall' })
        const worker = await buildImage({ ...how, target: 'worker', name: 'localhost/crewhall-worker' })
        return [true, `${megabytes(server.bytes)} and ${megabytes(worker.bytes)}`]
      })
    const made = await check('parts are made of packages under their public names', async () => {
      const names = await ensurePartImages(storage, composeFile)
      return [names, names.join(', ')]
    })
    if (!made) return
    const podman = await startPodman(storage)
    try {
      await bringUp(storage, podman, check)
    } finally {
      await podman.close()
    }
  },
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

function expectThat(holds: unknown, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}

async function bringUp(storage: ContainerStorage, podman: PodmanService, check: DrillCheck): Promise<void> {
  const folder = join(storage.folder, 'installation')
  const ports = { http: await freePort(), https: await freePort() }
  const { cert, key } = selfSigned(host)
  const compose = await ensureCompose()
  const override = join(storage.folder, 'compose.drill.yaml')
  const command = (...args: string[]) => [
    ...['--env-file', join(folder, '.env'), '-f', composeFile, '-f', override],
    ...['--project-name', 'crewhall-drill', ...args],
  ]
  const env = {
    ...podman.env,
    CREWHALL_LISTEN: '127.0.0.1',
    CREWHALL_HTTP_PORT: String(ports.http),
    CREWHALL_HTTPS_PORT: String(ports.https),
  }
  const up = async (...args: string[]) => run(compose, command(...args), { env })
  const down = () => attempt(compose, command('down', '--volumes', '--timeout', '15'), { env })
  if (existsSync(join(folder, '.env'))) await down()
  rmSync(folder, { recursive: true, force: true })
  await check('install writes settings and secrets', async () => {
    const answers = join(storage.folder, 'answers')
    writeFileSync(
      answers,
      `public_url=https://${host}\noperator_email=ann@example.test\ncertificates=given\n`,
    )
    const said = await run(join(production, 'install'), ['--answers', answers, '--to', folder])
    writeFileSync(join(folder, 'certificates/cert.pem'), cert)
    writeFileSync(join(folder, 'certificates/key.pem'), key, { mode: 0o600 })
    return [true, said.split('\n')[1]?.split(',')[0] ?? '']
  })
  writeFileSync(override, await withoutLimits(compose, command, env))
  const get = through(ports.https, cert)
  try {
    const isUp = await check('compose brings up all of it, each part healthy', async () => {
      const began = performance.now()
      await up('up', '--detach', '--wait', '--wait-timeout', '900').catch(async (error: Error) => {
        const logs = await attempt(compose, command('logs', '--no-color', '--tail', '15'), { env })
        throw new Error(`${error.message.slice(-3000)}\n${logs.output}`)
      })
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      const count = (await podman.podman('ps', '--quiet')).trim().split('\n').length
      return [true, `${count} containers in ${seconds} s`]
    })
    if (isUp) await useIt({ podman, check, get, ports, folder })
  } finally {
    await check('compose takes it down', async () => {
      const { code, output } = await down()
      expectThat(code === 0, output)
      return [true, '']
    })
  }
}

/**
 * What is not tried here: limits, because control groups of a machine like this one cannot be shared out, and that a network has
 * no way out, because podman 4.3 tells no names in such a network.
 */
async function withoutLimits(
  compose: string,
  command: (...args: string[]) => string[],
  env: Record<string, string>,
): Promise<string> {
  const args = command('config', '--services').filter(
    (arg, at, all) => arg !== '-f' || at < all.lastIndexOf('-f'),
  )
  const services = await run(
    compose,
    args.filter((arg) => !arg.endsWith('compose.drill.yaml')),
    { env },
  )
  const lines = services
    .trim()
    .split('\n')
    .filter((name) => /^[a-z0-9-]+$/.test(name))
    .map((name) => `  ${name}:\n    deploy: !reset null\n`)
  return `services:\n${lines.join('')}networks:\n  inside:\n    internal: false\n`
}

type Get = (path: string, init?: RequestInit) => Promise<Response>

/** As a browser would reach the public name, whose address is known to nobody here. */
function through(port: number, ca: string): Get {
  return (path, init = {}) =>
    new Promise((done, fail) => {
      const headers = { ...(init.headers as Record<string, string> | undefined), host }
      const options = {
        host: '127.0.0.1',
        port,
        path,
        method: init.method ?? 'GET',
        headers,
        servername: host,
        ca,
      }
      const sent = request(options, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          const lists = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          )
          const body = [204, 304].includes(answer.statusCode ?? 0) ? null : Buffer.concat(chunks)
          done(new Response(body, { status: answer.statusCode ?? 0, headers: lists }))
        })
      })
      sent.setTimeout(60_000, () => sent.destroy(new Error('no answer within a minute')))
      sent.on('error', fail)
      sent.end(init.body as string | undefined)
    })
}

interface Installation {
  readonly podman: PodmanService
  readonly check: DrillCheck
  readonly get: Get
  readonly ports: { readonly http: number; readonly https: number }
  readonly folder: string
}

async function useIt({ podman, check, get, ports, folder }: Installation): Promise<void> {
  const json = { 'content-type': 'application/json' }
  await check('a person signs up and makes a board through the proxy over TLS', async () => {
    const began = performance.now()
    const owner = await signUp(get)
    const { token } = await newToken(get, owner, [])
    const by = { ...json, authorization: `Bearer ${token}` }
    const body = JSON.stringify({ name: 'Launch', key: 'LA' })
    const made = await get('/api/v1/board/boards', { method: 'POST', headers: by, body })
    const board = (await made.json()) as { id: string }
    expectThat(made.status === 201, `the board was answered ${made.status}: ${JSON.stringify(board)}`)
    const read = await get(`/api/v1/board/boards/${board.id}`, { headers: by })
    expectThat(read.status === 200, `the board cannot be read: ${read.status}`)
    return [true, `in ${(performance.now() - began).toFixed(0)} ms`]
  })
  await check('the proxy has HSTS, redirects http, and keeps the private port to itself', async () => {
    const health = await get('/api/v1/system/health')
    expectThat(health.status === 200, `health is ${health.status}`)
    expectThat(health.headers.get('strict-transport-security'), 'there is no HSTS')
    for (const path of ['/metrics', '/ready', '/live'])
      expectThat((await get(path)).status === 404, `${path} is reachable`)
    const [status, location] = await plain(ports.http)
    expectThat(status === 308 && location === `https://${host}/`, `http is answered ${status} ${location}`)
    return [true, '']
  })
  await check('nothing but the proxy has a port', async () => {
    const shown = JSON.parse(await podman.podman('ps', '--format', 'json')) as {
      Names: string[]
      Ports: object[] | null
    }[]
    const open = shown.filter(({ Ports }) => (Ports ?? []).length > 0).map(({ Names }) => Names[0] ?? '')
    expectThat(open.length === 1 && open[0]?.includes('proxy'), `ports: ${open.join(', ')}`)
    return [true, `${shown.length} containers`]
  })
  await check('no secret is in the settings of a container', async () => {
    const secrets = readdirSync(join(folder, 'secrets')).map((name) => ({
      name,
      text: readFileSync(join(folder, 'secrets', name), 'utf8').trim(),
    }))
    const ids = (await podman.podman('ps', '--all', '--quiet')).trim().split('\n')
    const all = await podman.podman('inspect', ...ids)
    const worth = secrets.filter(
      ({ name, text }) => text.length > 12 && !['redis_conf', 'smtp_url'].includes(name),
    )
    for (const { name, text } of worth) expectThat(!all.includes(text), `${name} is shown by inspect`)
    return [true, `${worth.length} secrets, ${ids.length} containers`]
  })
  await check('requests go through PgBouncer, under the limits of the role', async () => {
    const ask = async (sql: string) =>
      (
        await podman.podman(
          'exec',
          await named(podman, 'postgres'),
          'psql',
          '-U',
          'postgres',
          '-d',
          'crewhall',
          '-Atc',
          sql,
        )
      ).trim()
    const pooler = await ask(
      `select count(*) from pg_stat_activity where application_name = 'crewhall-api' and usename = 'crewhall_app'`,
    )
    const limits = await ask(
      `select array_to_string(setconfig, ' ') from pg_db_role_setting s join pg_roles r on r.oid = s.setrole where rolname = 'crewhall_app'`,
    )
    expectThat(Number(pooler) > 0, 'no connection of the API')
    expectThat(limits.includes('statement_timeout=5000'), `the role has ${limits}`)
    return [true, limits]
  })
  await check('an API that is killed comes back, and the other one serves meanwhile', async () => {
    const name = await named(podman, 'api-1')
    await podman.podman('kill', '--signal', 'KILL', name)
    let bad = 0
    for (let round = 0; round < 20; round += 1)
      if ((await get('/api/v1/system/info')).status !== 200) bad += 1
    const began = performance.now()
    await waitFor(
      async () => (await podman.podman('inspect', '--format', '{{.State.Running}}', name)).trim() === 'true',
      60_000,
    )
    expectThat(bad === 0, `${bad} of 20 requests failed`)
    return [
      true,
      `20 requests served, running again after ${((performance.now() - began) / 1000).toFixed(1)} s`,
    ]
  })
}

async function named(podman: PodmanService, service: string): Promise<string> {
  const names = (await podman.podman('ps', '--all', '--format', '{{.Names}}')).trim().split('\n')
  const found = names.find((name) => name.includes(`-${service}-`) || name.includes(`_${service}_`))
  expectThat(found, `there is no container ${service} among ${names.join(', ')}`)
  return found
}

const plain = (port: number): Promise<[number, string]> =>
  new Promise((done, fail) => {
    const sent = requestPlain({ host: '127.0.0.1', port, path: '/', headers: { host } }, (answer) => {
      answer.resume()
      done([answer.statusCode ?? 0, answer.headers.location ?? ''])
    })
    sent.on('error', fail)
    sent.end()
  })
