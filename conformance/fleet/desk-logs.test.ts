import { readFile, writeFile } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { maxLogBytes, sendLogs } from '@crewhall/contracts/fleet/logs.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { plantedSecrets } from '@crewhall/testkit/planted-secrets.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Answer, Get } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asDesk, beat, join } from './desk-agent.ts'
import { DeskWorkspace, nowhere } from './desk-workspace.ts'

const env = { DESK_NETWORKS: '127.0.0.0/8' }
const server = useServer('product', env)
const sidecars = useSidecars()
const limitMs = 60_000
const hourMs = 3_600_000
let clock: VirtualClock
let api: ServerProcess
const get: Get = (path, init) => fetch(`${api.url}${path}`, init)
let at: LogReader
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...env, ...clock.env })
  at = await LogReader.open()
})
afterAll(() => clock?.close())

interface Logs {
  readonly status: string
  readonly error: string | null
  readonly requested_at: string | null
  readonly received_at: string | null
  readonly expires_at: string | null
  readonly text: string | null
}

/** A workspace whose admin asks for logs. */
class LogReader {
  readonly desks: DeskWorkspace
  readonly #token: string

  constructor(desks: DeskWorkspace, token: string) {
    this.desks = desks
    this.#token = token
  }

  static async open(): Promise<LogReader> {
    const desks = await DeskWorkspace.open({ sql: server.sql, get })
    const admin = await desks.world.join(desks.brand_id, 'admin')
    const token = await desks.world.newToken(admin)
    // Longer than the days that tests let pass.
    await server.sql(
      `update identity.tokens set expires_at = now() + interval '9 days' where person_id = $1`,
      [admin.person_id],
    )
    return new LogReader(desks, token)
  }

  call(method: 'GET' | 'POST', id: string): Promise<Answer<Logs>> {
    return this.desks.call<Logs>(method, `/machines/${id}/logs`, undefined, { token: this.#token })
  }

  async request(id: string): Promise<Logs> {
    const { status, body } = await this.call('POST', id)
    expect(status).toBe(202)
    return body
  }

  async logs(id: string): Promise<Logs> {
    return (await this.call('GET', id)).body
  }
}

/** By the clock of the tests. */
let passedMs = 0
const pass = async (ms: number) => {
  passedMs += ms
  await clock.advance(ms)
}
const twist = () => ({ created: Math.floor((Date.now() + passedMs) / 1000) })

interface Command {
  readonly id: string
  readonly kind: string
}
async function joined(): Promise<{ id: string; desk: DeskCaller }> {
  const { workstation_id: id, pat } = await at.desks.ordered()
  const desk = new DeskCaller(id, pat)
  expect((await join(get, desk, {}, twist())).status).toBe(200)
  return { id, desk }
}
async function commandsFor(desk: DeskCaller, results: readonly object[] = []): Promise<Command[]> {
  const { status, body } = await beat(get, desk, { results }, twist())
  expect(status).toBe(200)
  const { commands } = body as unknown as { commands: readonly { payload: string }[] }
  return commands.map(({ payload }) => JSON.parse(payload))
}
const send = (desk: DeskCaller, text: string) => asDesk(get, desk, sendLogs, { text }, twist())

test('a request waits for a desk that is away; then the last lines of its sidecar are there, and no secret is', async () => {
  const { workstation_id: id, pat } = await at.desks.ordered()
  const place = await sidecars.place({ server_url: api.url, env_id: id, pat })
  const first = sidecars.run(place)
  await first.logged('registered')
  expect(await first.stop()).toBe(0)
  expect(await at.logs(id)).toMatchObject({ status: 'none', requested_at: null, text: null })

  const asked = await at.request(id)
  expect(asked).toMatchObject({ status: 'waiting', error: null, received_at: null, text: null })
  expect((await at.request(id)).requested_at).toBe(asked.requested_at)
  expect(await at.logs(id)).toEqual(asked)

  const key = await readFile(joinPath(place.state_dir, 'identity.pem'), 'utf8')
  const planted = [{ text: `joined with ${pat}`, values: [pat] }, ...plantedSecrets]
  const lines = [...planted.map(({ text }) => text), key].map((text) => JSON.stringify({ msg: 'old', text }))
  const file = joinPath(place.state_dir, 'sidecar.log')
  const filler = `${JSON.stringify({ msg: 'filler', text: 'x'.repeat(1000) })}\n`.repeat(100)
  await writeFile(file, `${filler}${lines.join('\n')}\n`)
  const second = sidecars.run(place)
  const sent = await waitFor(async () => {
    const logs = await at.logs(id)
    return logs.status !== 'waiting' && logs
  }, limitMs)
  expect(await second.stop()).toBe(0)

  expect(sent).toMatchObject({ status: 'received', error: null, requested_at: asked.requested_at })
  const text = sent.text ?? ''
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxLogBytes)
  expect(Buffer.byteLength(text)).toBeGreaterThan(maxLogBytes / 2)
  const messages = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages.filter((msg) => msg === 'old')).toHaveLength(lines.length)
  expect(messages.slice(-1)).toEqual(['health is served'])
  const kept = JSON.stringify(await server.sql('select * from fleet.desk_logs where desk_id = $1', [id]))
  const body = key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
  expect(body).not.toEqual([])
  for (const value of [...planted.flatMap(({ values }) => values), ...body])
    expect([value, text.includes(value), kept.includes(value)]).toEqual([value, false, false])
  const audited = (await at.desks.audited()).filter((action) => action.startsWith('desk.logs'))
  expect(audited).toEqual(['desk.logs_requested', 'desk.logs_received'])
  // The server cuts by itself, whatever a desk has sent; nothing is left of it in events and logs either.
  expect(api.lines.join('\n')).not.toContain('filler')
})

test('what a desk has not cut is cut by the service, and only what was asked for is taken', async () => {
  const { id, desk } = await joined()
  expect(await send(desk, 'unasked')).toMatchObject({ status: 409 })
  await at.request(id)
  // Nobody has told the desk yet.
  expect((await send(desk, 'unasked')).status).toBe(409)
  const [command] = await commandsFor(desk)
  expect(command).toMatchObject({ kind: 'collect_logs' })
  expect((await send(desk, 'x'.repeat(maxLogBytes + 1))).status).toBe(422)
  const [secret] = plantedSecrets
  expect((await send(desk, `before\n${secret?.text}\nafter`)).status).toBe(200)
  const { text } = await at.logs(id)
  expect(text).toMatch(/^before\n.*\[redacted: [a-z ]+\].*\nafter$/)
  expect((await send(desk, 'again')).status).toBe(409)
  expect(await commandsFor(desk, [{ id: command?.id, outcome: 'done', error: null }])).toEqual([])
  expect(await at.logs(id)).toMatchObject({ status: 'received', error: null, text })
  const other = await joined()
  expect((await send(other.desk, 'not mine')).status).toBe(409)
})

test('members may not, other workspaces find no such machine, and a shared machine is refused', async () => {
  const { id, desk } = await joined()
  const member = await at.desks.world.join(at.desks.brand_id, 'member')
  const token = await at.desks.world.newToken(member)
  const foreign = await LogReader.open()
  for (const method of ['GET', 'POST'] as const) {
    expect((await at.desks.call(method, `/machines/${id}/logs`, undefined, { token })).status).toBe(403)
    expect((await foreign.call(method, id)).status).toBe(404)
    expect((await at.call(method, nowhere)).status).toBe(404)
  }
  expect((await at.logs(id)).status).toBe('none')
  await at.request(id)
  await commandsFor(desk)
  await server.sql('update fleet.desks set shares_machine = true where id = $1', [id])
  expect((await send(desk, 'a line of the other workspace')).status).toBe(409)
  expect(await at.logs(id)).toMatchObject({ status: 'waiting', text: null })
  expect((await at.call('POST', id)).status).toBe(409)
})

test('a command that nobody took is made anew, and what the desk says about it is shown', async () => {
  const { id, desk } = await joined()
  await at.request(id)
  const [first] = await commandsFor(desk)
  expect(await commandsFor(desk)).toEqual([first])
  await pass(600_000)
  const [second] = await commandsFor(desk)
  expect(second?.id).not.toBe(first?.id)
  await commandsFor(desk, [{ id: second?.id, outcome: 'refused', error: 'not here' }])
  expect(await at.logs(id)).toMatchObject({ status: 'failed', error: 'not here', text: null })

  await at.request(id)
  const [third] = await commandsFor(desk)
  await commandsFor(desk, [{ id: third?.id, outcome: 'done', error: null }])
  expect((await at.logs(id)).error).toBe('The machine says that it is done, and has sent nothing')

  // Asked again while the word about the last command was on its way.
  await at.request(id)
  const [fourth] = await commandsFor(desk)
  expect((await send(desk, 'first')).status).toBe(200)
  await at.request(id)
  const [fifth] = await commandsFor(desk, [{ id: fourth?.id, outcome: 'done', error: null }])
  expect((await at.logs(id)).status).toBe('waiting')
  expect(fifth?.id).not.toBe(fourth?.id)
  expect((await send(desk, 'second')).status).toBe(200)
  expect((await at.logs(id)).text).toBe('second')
})

test('requests and logs are gone after a day, and with their desk', async () => {
  const [waiting, sent, released] = [await joined(), await joined(), await joined()]
  for (const { id } of [waiting, sent, released]) await at.request(id)
  await commandsFor(sent.desk)
  await pass(23 * hourMs)
  await commandsFor(sent.desk)
  expect((await send(sent.desk, 'lines')).status).toBe(200)
  expect((await at.desks.call('DELETE', `/workstations/${released.id}`)).status).toBeLessThan(300)
  await pass(1.5 * hourMs)
  expect((await at.logs(waiting.id)).status).toBe('none')
  expect(await commandsFor(waiting.desk)).toEqual([])
  expect((await at.logs(sent.id)).text).toBe('lines')
  await pass(23 * hourMs)
  expect(await at.logs(sent.id)).toMatchObject({ status: 'none', text: null })

  const ids = [waiting.id, sent.id, released.id]
  const rows = () => server.sql('select desk_id from fleet.desk_logs where desk_id = any ($1)', [ids])
  expect(await rows()).toHaveLength(2)
  const worker = await server.start('worker', { ...env, ...clock.env })
  await server.sql(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  await expect.poll(rows, { timeout: limitMs }).toEqual([])
  await worker.stop()
})
