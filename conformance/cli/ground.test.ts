import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from '../boards/board-workspace.ts'
import { useCommandLine } from './command-line.ts'
import { sendJson, useStandIns } from './stand-in.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
const standIn = useStandIns()
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

const signedIn = () => newPerson({ CREWHALL_HOST: server.api.url, CREWHALL_TOKEN: workspace.token })

test('a sign-in by token is kept in files that only their owner can read, and used from then on', async () => {
  const person = newPerson()
  const login = await person.run(['auth', 'login', '--with-token', '--host', server.api.url], {
    input: `${workspace.token}\n`,
  })
  expect(login).toEqual({ code: 0, out: '', err: '' })
  const folder = join(person.home, '.config/crewhall')
  expect(readdirSync(folder).toSorted()).toEqual(['credentials.json', 'settings.json'])
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(folder, 'settings.json'), 'utf8')).not.toContain(workspace.token)
  const status = await person.run(['auth', 'status', '-o', 'json'])
  expect(JSON.parse(status.out)).toMatchObject({
    host: server.api.url,
    profile: 'default',
    workspace_id: workspace.owner.brand_id,
    credential: 'token',
    scopes: [],
  })
  expect(`${status.out}${status.err}`).not.toContain(workspace.token)
})

test('logout ends the token on the server, and nothing is left of it', async () => {
  const person = newPerson()
  const { token } = (
    await workspace.call<{ token: string }>('POST', `/../brands/${workspace.owner.brand_id}/tokens`, {
      name: 'To end',
      scopes: [],
    })
  ).body
  const signIn = { input: token }
  await person.run(['auth', 'login', '--with-token', '--host', server.api.url], signIn)
  expect((await person.run(['auth', 'logout'])).code).toBe(1)
  expect((await person.run(['auth', 'logout', '--yes'])).code).toBe(0)
  expect(readFileSync(join(person.home, '.config/crewhall/credentials.json'), 'utf8')).not.toContain(token)
  const again = await person.run(['auth', 'login', '--with-token', '--host', server.api.url], signIn)
  expect(again.code).toBe(4)
})

test('a token that is stored for one service is not sent to another', async () => {
  const seen: (string | undefined)[] = []
  const other = await standIn((request, response) => {
    seen.push(request.headers.authorization)
    sendJson(response, 404, { detail: 'Not found' })
  })
  const person = newPerson()
  await person.run(['auth', 'login', '--with-token', '--host', server.api.url], { input: workspace.token })
  const elsewhere = await person.run(['board', 'list', '--host', other])
  expect([elsewhere.code, seen]).toEqual([4, []])
})

test('a service that redirects is not followed, and its target is named', async () => {
  const asked: string[] = []
  const target = await standIn((request, response) => {
    asked.push(request.headers.authorization ?? '')
    response.end('{}')
  })
  const hostile = await standIn((_, response) => response.writeHead(307, { location: `${target}/x` }).end())
  const { code, err } = await newPerson({ CREWHALL_HOST: hostile, CREWHALL_TOKEN: 'x'.repeat(40) }).run([
    'board',
    'list',
  ])
  expect([code, asked]).toEqual([1, []])
  expect(err).toContain(`redirects to ${target}`)
})

test('a read is tried again after 503 and waits as long as it is told; a write keeps its key', async () => {
  const keys: (string | undefined)[] = []
  const flaky = await standIn((request, response) => {
    keys.push(request.headers['idempotency-key'] as string | undefined)
    if (keys.length % 3 !== 0) sendJson(response, 503, { detail: 'away' }, { 'retry-after': '0' })
    else sendJson(response, 201, { task_id: 't', ref: 'CORE-1' })
  })
  const person = newPerson({ CREWHALL_HOST: flaky, CREWHALL_TOKEN: 'x'.repeat(40) })
  const board = '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'
  const made = await person.run(['card', 'create', 'A card', '--board', board, '-o', 'json'])
  // What it waits for is told at a terminal, and in no log file.
  expect([made.code, made.err, JSON.parse(made.out)]).toEqual([0, '', { task_id: 't', ref: 'CORE-1' }])
  expect(keys.length).toBe(3)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  const again = await person.run(['card', 'create', 'A card', '--board', board])
  expect(again.code).toBe(0)
  expect(new Set(keys).size).toBe(2)
})

test('a service that sends half of a response and then nothing is given up in time, with code 9', async () => {
  const slow = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"items":[')
  })
  const person = newPerson({ CREWHALL_HOST: slow, CREWHALL_TOKEN: 'x'.repeat(40) })
  const board = '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'
  const { code, err } = await person.run(
    ['card', 'comment', 'CORE-1', 'x', '--timeout', '1', '--board', board],
    {},
  )
  expect([code, err]).toEqual([9, `crewhall: ${slow} did not respond within 1 s\n`])
})

test('environment beats folder, and the folder beats the profile; a link for another service does not count', async () => {
  const [one, two] = [await workspace.board(), await workspace.board()]
  await workspace.card(one, { title: 'Of the folder' })
  await workspace.card(two, { title: 'Of the environment' })
  const person = newPerson()
  await person.run(['auth', 'login', '--with-token', '--host', server.api.url, '--set-board', two.key], {
    input: workspace.token,
  })
  const folder = join(person.home, 'repository')
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  const list = async (env: Record<string, string> = {}) =>
    (
      await person.run(['card', 'list', '--jq', '.items[].title'], { cwd: join(folder, 'deep/er'), env })
    ).out.trim()
  expect(await list()).toBe('Of the environment')
  expect((await person.run(['link', '--board', one.name], { cwd: folder })).code).toBe(0)
  expect(readFileSync(join(folder, '.crewhall.yaml'), 'utf8')).toContain(`board: ${one.key}`)
  expect(await list()).toBe('Of the folder')
  expect(await list({ CREWHALL_BOARD: two.key })).toBe('Of the environment')
  writeFileSync(join(folder, '.crewhall.yaml'), `host: https://other.example\nboard: ${one.key}\n`)
  expect(await list()).toBe('Of the environment')
})

test('inside a run nothing of the disk counts and no flag leads elsewhere', async () => {
  const person = newPerson()
  await person.run(['auth', 'login', '--with-token', '--host', server.api.url], { input: workspace.token })
  const inRun = { CREWHALL_RUN: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f' }
  expect((await person.run(['board', 'list'], { env: inRun })).code).toBe(4)
  const whole = { ...inRun, CREWHALL_HOST: server.api.url, CREWHALL_TOKEN: workspace.token }
  expect((await person.run(['board', 'list'], { env: whole })).code).toBe(0)
  expect((await person.run(['board', 'list', '--host', 'http://127.0.0.1:1'], { env: whole })).code).toBe(4)
})

test('what a contract refuses is refused in its words before anything is sent', async () => {
  const nobody = newPerson({ CREWHALL_HOST: 'http://127.0.0.1:1', CREWHALL_TOKEN: 'x'.repeat(40) })
  const board = '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'
  const title = await nobody.run(['card', 'create', ' ', '--board', board])
  expect([title.code, title.err]).toEqual([1, 'crewhall: <title>: must be 1 to 500 characters long\n'])
  const priority = await nobody.run(['card', 'create', 'x', '--priority', 'huge', '--board', board])
  expect(priority.code).toBe(1)
  expect(priority.err).toMatch(/^crewhall: --priority: .*"none"\|"low"\|"medium"\|"high"\|"urgent"/)
})

test('an unknown flag or command is refused with what there is', async () => {
  const person = signedIn()
  expect(await person.run(['card', 'lst'])).toMatchObject({ code: 1, err: expect.stringContaining('list') })
  expect(await person.run(['card', 'list', '--bord', 'X'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('--board'),
  })
  expect(await person.run(['call', 'boards.getCrd'])).toMatchObject({ code: 5 })
})
