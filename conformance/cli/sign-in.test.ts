import { spawn } from 'node:child_process'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { DeskWorkspace } from '../fleet/desk-workspace.ts'
import { useBuilds } from '../hires/build-world.ts'
import type { Employer } from '../hires/hire-verbs.ts'
import { deviceVerbs } from '../identity/device-verbs.ts'
import { type CommandLine, type Ended, useCommandLine } from './command-line.ts'
import { sendJson, useStandIns } from './stand-in.ts'

const kit = useBuilds()
const { decide } = deviceVerbs(kit.at)
const newPerson = useCommandLine()
const standIn = useStandIns()
let employer: Employer
let person: CommandLine
beforeAll(async () => {
  const [, made] = await Promise.all([kit.server.start('worker'), kit.newEmployer()])
  employer = made
  person = newPerson()
  const { user_code, ended } = await login(person, kit.server.api.url)
  expect((await decide(employer.cookie, { device_code: '', user_code })).status).toBe(200)
  expect((await ended).code).toBe(0)
})

/** Starts a sign-in, and returns the code that it shows. */
async function login(by: CommandLine, host: string): Promise<{ user_code: string; ended: Promise<Ended> }> {
  const child = spawn(process.execPath, [by.file, 'auth', 'login', '--host', host], {
    cwd: by.home,
    env: by.environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (bytes: Buffer) => {
    err += bytes
  })
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code: code ?? -1, out: '', err })),
  )
  const user_code = await waitFor(async () => /Your code: (\S+)/.exec(err)?.[1], 30_000)
  return { user_code, ended }
}

async function did(...args: string[]): Promise<string> {
  const { code, out, err } = await person.run(args)
  expect([args, code, err]).toEqual([args, 0, ''])
  return out
}
const read = async <Body>(...args: string[]) => JSON.parse(await did(...args, '-o', 'json')) as Body

/** A service whose sign-in says these words before it lets somebody in, and the milliseconds between the polls. */
async function slowSignIn(...words: readonly object[]): Promise<{ host: string; gaps(): number[] }> {
  const polls: number[] = []
  const host = await standIn(({ url = '' }, response) => {
    if (url.endsWith('/device/code'))
      return sendJson(response, 200, {
        device_code: 'd',
        user_code: 'WDJB-MJHT',
        verification_uri: `${host}/device`,
        verification_uri_complete: `${host}/device?user_code=WDJB-MJHT`,
        expires_in: 600,
        interval: 1,
      })
    if (url === '/api/v1/me')
      return sendJson(response, 200, {
        person: { full_name: 'Ann' },
        brand_id: 1,
        expires_at: '2030-01-01T00:00:00Z',
      })
    polls.push(performance.now())
    const word = words[polls.length - 1]
    if (word) sendJson(response, 400, { detail: word })
    else sendJson(response, 200, { token_type: 'Bearer', access_token: 'x'.repeat(40), cookie_name: null })
  })
  return { host, gaps: () => polls.slice(1).map((at, index) => at - (polls[index] ?? 0)) }
}

test('a sign-in that is told slow_down polls as seldom as it is told, or five seconds less often', async () => {
  const [told, untold] = [
    await slowSignIn(
      { error: 'slow_down', interval: 2 },
      { error: 'authorization_pending' },
      { error: 'authorization_pending' },
    ),
    await slowSignIn({ error: 'slow_down' }),
  ]
  const ended = await Promise.all(
    [told, untold].map(({ host }) => newPerson().run(['auth', 'login', '--host', host])),
  )
  expect(ended.map(({ code }) => code)).toEqual([0, 0])
  // Timers may fire a moment early.
  expect(told.gaps().map((ms) => ms > 1950)).toEqual([true, true, true])
  expect(untold.gaps().map((ms) => ms > 5950)).toEqual([true])
})

test('a write without a key is sent once: a sign-in does not begin twice', async () => {
  const asked: string[] = []
  const away = await standIn(({ url = '' }, response) => {
    asked.push(url)
    sendJson(response, 503, { detail: 'away' }, { 'retry-after': '0' })
  })
  expect((await newPerson().run(['auth', 'login', '--host', away])).code).toBe(9)
  expect(asked).toEqual(['/api/v1/auth/device/code'])
})

test('auth status lists its fields without asking anybody, and prints those that are wanted', async () => {
  const nobody = newPerson({ CREWHALL_HOST: 'http://127.0.0.1:2', CREWHALL_TOKEN: 'x'.repeat(40) })
  const listed = await nobody.run(['auth', 'status', '--json'])
  const fields = listed.out.trimEnd().split('\n')
  expect([listed.code, fields]).toEqual([0, Object.keys(await read<object>('auth', 'status'))])
  const wanted = JSON.parse(await did('auth', 'status', '--json', 'workspace_id,credential')) as object
  expect(wanted).toEqual({ workspace_id: employer.brand_id, credential: 'session' })
})

test('an employee is taken on, followed until they work, and cancelled now or at the end of the period', async () => {
  const [first = '', second = ''] = await kit.newEmployees(2)
  const taken = await Promise.all(
    [first, second].map((profile) => read<{ hire_id: string; status: string }>('hire', 'take', profile)),
  )
  const [one, other] = taken.map(({ hire_id }) => hire_id)
  if (one === undefined || other === undefined) throw new Error('nobody was hired')
  const again = await person.run(['hire', 'take', first, '--json', 'hire_id'])
  expect(again.code).toBe(7)
  expect(JSON.parse(again.err)).toMatchObject({ status: 409, detail: { existing_hire_id: one } })

  const steps = await Promise.all([one, other].map((id) => did('hire', 'watch', id)))
  for (const lines of steps) expect(lines).toMatch(/^\[x\] agent$/m)
  expect(await did('hire', 'status', one)).toMatch(/^status\tactive$/m)

  const unasked = await person.run(['hire', 'cancel', one])
  expect([unasked.code, unasked.err.includes('--yes')]).toEqual([1, true])
  await did('hire', 'cancel', one, '--yes')
  await did('hire', 'cancel', other, '--now', '--yes')
  const rows = await kit.at.sql<{ id: string; status: string; is_now: boolean }>(
    'select id, status, effective_at <= clock_timestamp() as is_now from hires.hires where brand_id = $1',
    [employer.brand_id],
  )
  expect(new Map(rows.map(({ id, ...row }) => [id, row]))).toEqual(
    new Map([
      [one, { status: 'canceled', is_now: false }],
      [other, { status: 'canceled', is_now: true }],
    ]),
  )
  const watched = await person.run(['hire', 'watch', one])
  expect([watched.code, watched.err]).toEqual([7, expect.stringContaining('the hire is canceled')])
})

test('an update of a desk is requested once, and listed', async () => {
  await new DeskWorkspace(kit.server, employer).limitDesks(10)
  const { workstation_id } = await read<{ workstation_id: string }>('desk', 'order', '--name', 'To update')
  const { id } = await read<{ id: string }>('desk', 'update', workstation_id)
  expect((await read<{ id: string }>('desk', 'update', workstation_id)).id).toBe(id)
  const listed = JSON.parse(await did('desk', 'updates', workstation_id, '--json', 'id,state')) as object[]
  expect(listed).toEqual([{ id, state: 'queued' }])
})
