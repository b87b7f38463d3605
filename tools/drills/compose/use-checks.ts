import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { composeFile, type Installation } from './installation.ts'
import { host, redirectOf } from './through-proxy.ts'

const json = { 'content-type': 'application/json' }

/** What people and operators see of an installation that is up. */
export async function useIt(installation: Installation, check: DrillCheck): Promise<void> {
  const { docker, get, folder } = installation
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
    expectThat(health.status === 200, `health is ${health.status}: ${await health.text()}`)
    expectThat(health.headers.get('strict-transport-security'), 'there is no HSTS')
    for (const path of ['/metrics', '/ready', '/live'])
      expectThat((await get(path)).status === 404, `${path} is reachable`)
    const [status, location] = await redirectOf(docker.address)
    expectThat(status === 308 && location === `https://${host}/`, `http is answered ${status} ${location}`)
    const version = (await installation.exec('proxy', 'caddy', 'version'))
      .trim()
      .replace(/^v/, '')
      .split(/[ -]/)[0]
    const named = /image: caddy:([\d.]+)/.exec(readFileSync(composeFile, 'utf8'))?.[1]
    expectThat(version === named, `the compose file names Caddy ${named}, and ${version} was tried`)
    return [true, `Caddy ${version}`]
  })
  await check('nothing but the proxy has a port, and `inside` no way out', async () => {
    const shown = (await docker.docker('ps', '--format', '{{.Names}} {{.Ports}}')).trim().split('\n')
    const open = shown.filter((line) => line.includes('->'))
    expectThat(open.length === 1 && open[0]?.includes('proxy'), `ports: ${open.join(', ')}`)
    const parts = ['postgres', 'pgbouncer', 'redis', 's3']
    const outside = createServer((socket) => socket.end()).listen(0, docker.gateway)
    await once(outside, 'listening')
    const { port } = outside.address() as AddressInfo
    const dial = `exec 3<>/dev/tcp/${docker.gateway}/${port}`
    const reaches = (part: string) =>
      installation.exec(part, 'timeout', '3', 'bash', '-c', dial).then(
        () => true,
        () => false,
      )
    try {
      expectThat(await reaches('mail'), 'mail has no way out')
      const reached = await Promise.all(parts.map(async (part) => ((await reaches(part)) ? part : undefined)))
      expectThat(!reached.some(Boolean), `a way out have ${reached.filter(Boolean).join(', ')}`)
    } finally {
      outside.close()
    }
    return [true, `${shown.length} containers; mail has a way out, ${parts.join(', ')} have none`]
  })
  await check('no secret is in the settings of a container', async () => {
    const secrets = readdirSync(join(folder, 'secrets')).map((name) => ({
      name,
      text: readFileSync(join(folder, 'secrets', name), 'utf8').trim(),
    }))
    const ids = (await docker.docker('ps', '--all', '--quiet')).trim().split('\n')
    const all = await docker.docker('inspect', ...ids)
    const worth = secrets.filter(
      ({ name, text }) => text.length > 12 && !['redis_conf', 'smtp_url'].includes(name),
    )
    for (const { name, text } of worth) expectThat(!all.includes(text), `${name} is shown by inspect`)
    return [true, `${worth.length} secrets, ${ids.length} containers`]
  })
  await check('requests go through PgBouncer, under the limits of the role', async () => {
    const pooler = await installation.insideOf('pgbouncer')
    const pooled = await installation.ask(
      `select count(*) from pg_stat_activity where usename = 'crewhall_app' and client_addr = '${pooler}'`,
    )
    const limits = await installation.ask(
      `select array_to_string(setconfig, ' ') from pg_db_role_setting s join pg_roles r on r.oid = s.setrole where rolname = 'crewhall_app'`,
    )
    expectThat(Number(pooled) > 0, 'PgBouncer has no connection')
    expectThat(limits.includes('statement_timeout=5000'), `the role has ${limits}`)
    return [true, limits]
  })
  await check('an API that is killed comes back, and the other one serves meanwhile', async () => {
    const before = await installation.pidOf('api-1')
    const began = performance.now()
    process.kill(before, 'SIGKILL')
    let bad = 0
    for (let round = 0; round < 20; round += 1)
      if ((await get('/api/v1/system/info')).status !== 200) bad += 1
    await waitFor(async () => ![0, before].includes(await installation.pidOf('api-1')), 60_000)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    expectThat(bad === 0, `${bad} of 20 requests failed`)
    return [true, `20 requests served, running again after ${seconds} s`]
  })
}
