import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureDashboard } from '../tools/build/build-dashboard.ts'
import { seriousFaults, useBrowser } from './browser.ts'
import { type CommandLine, type Ended, runAs, useCommandLine } from './command-line.ts'

beforeAll(ensureDashboard)
const server = useServer('product')
const browser = useBrowser()
const newPerson = useCommandLine()
const get = (path: string, init?: RequestInit) => server.get(path, init)

const servers: Server[] = []
afterAll(() => {
  for (const each of servers) each.close()
})

/** Programs of the system that write down how they were called, and keep what they are told. */
function withStubs(person: CommandLine): { person: CommandLine; calls(): string; kept: string } {
  const [folder, log, kept] = [
    join(person.home, 'bin'),
    join(person.home, 'calls'),
    join(person.home, 'kept'),
  ]
  mkdirSync(folder)
  const stub = (name: string, body: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n{ echo "${name} $*"; env; } >> '${log}'\n${body}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  stub('xdg-open', 'true')
  stub(
    'secret-tool',
    `case $1 in store) cat > '${kept}' ;; lookup) cat '${kept}' ;; clear) rm '${kept}' ;; esac`,
  )
  return {
    person: { ...person, env: { ...person.env, PATH: `${folder}:${process.env.PATH}` } },
    calls: () => readFileSync(log, 'utf8'),
    kept,
  }
}

/** Starts a sign-in, and returns the code that it shows. */
async function login(
  person: CommandLine,
  ...args: string[]
): Promise<{ code: string; ended: Promise<Ended> }> {
  const child = spawn(process.execPath, [person.file, 'auth', 'login', '--host', server.api.url, ...args], {
    cwd: person.home,
    env: person.env,
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes
  })
  child.stderr.on('data', (bytes: Buffer) => {
    err += bytes
  })
  child.stdin.end()
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code: code ?? -1, out, err })),
  )
  const code = await waitFor(async () => /Your code: (\S+)/.exec(err)?.[1], 30_000)
  return { code, ended }
}

async function signIn(page: Page, { email, password }: SignedUp): Promise<void> {
  await page.waitForURL('**/sign-in?next=*')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}
const sessionsOf = async ({ cookie }: SignedUp): Promise<{ client: string | null }[]> =>
  ((await (await get('/api/v1/me/sessions', { headers: { cookie } })).json()) as { sessions: [] }).sessions

test('a person signs in the command line with a browser, works with desks, and signs out', async () => {
  const owner = await signUp(get)
  const { person, calls, kept } = withStubs(newPerson())
  const { code, ended } = await login(person, '--web')
  const page = await browser.open(`${server.api.url}/dashboard/device`)
  await signIn(page, owner)
  await page.getByRole('heading', { name: 'Sign in a program' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByLabel('Code').fill('bbbb bbbb')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('alert').textContent()).toContain('No program is waiting with this code')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Enter another code' }).click()
  await page.getByLabel('Code').fill(code.toLowerCase())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Let this program in?' }).waitFor()
  const shown = await page.getByRole('main').textContent()
  for (const words of [code, 'crewhall-cli', '127.0.0.1', 'the same network as yours', 'a session of yours'])
    expect(shown).toContain(words)
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])

  const { code: ending, err } = await ended
  expect([ending, err]).toEqual([0, expect.stringContaining('so it is not opened')])
  const secret = readFileSync(kept, 'utf8').split('=').at(-1) ?? ''
  expect(secret.length).toBeGreaterThan(40)
  expect(await sessionsOf(owner)).toMatchObject([{ client: 'crewhall-cli' }, {}, {}])

  const said: string[] = [err]
  const run = async (...args: string[]): Promise<string> => {
    const result = await runAs(person, args)
    said.push(result.out, result.err)
    if (result.code !== 0) throw new Error(`${args.join(' ')}: ${result.code} ${result.err}`)
    return result.out
  }
  const status = JSON.parse(await run('auth', 'status', '-o', 'json')) as Record<string, unknown>
  expect(status).toMatchObject({ credential: 'session', email: owner.email, workspace_id: owner.brand_id })
  expect(Date.parse(String(status.expires_at))).toBeGreaterThan(Date.now() + 29 * 86_400_000)
  const { workstation_id } = JSON.parse(await run('desk', 'order', '--name', 'Build desk', '-o', 'json')) as {
    workstation_id: string
  }
  expect(await run('desk', 'list')).toContain(workstation_id)
  expect(await run('desk', 'show', workstation_id)).toContain('[ ] Run the installer: ')
  await run('desk', 'pause', workstation_id)
  const paused = await runAs(person, ['desk', 'watch', workstation_id])
  expect([paused.code, paused.err]).toEqual([7, expect.stringContaining('the desk is suspended')])
  await run('desk', 'resume', workstation_id)
  expect(JSON.parse(await run('desk', 'show', workstation_id, '-o', 'json'))).toMatchObject({
    status: 'provisioning',
  })
  await run('desk', 'release', workstation_id, '--yes')
  await run('hire', 'catalog')
  await run('hire', 'list')
  // A fault of the program is told in a line, too.
  const broken = await runAs(person, ['auth', 'status'], { XDG_CONFIG_HOME: '/dev/null' })
  said.push(broken.out, broken.err)
  expect(broken.code).not.toBe(0)

  await run('auth', 'logout')
  expect(await sessionsOf(owner)).toHaveLength(2)
  expect((await runAs(person, ['auth', 'status'])).code).toBe(4)
  for (const text of [...said, calls()]) expect(text).not.toContain(secret)
  for (const name of readdirSync(join(person.home, '.config/crewhall')))
    expect(readFileSync(join(person.home, '.config/crewhall', name), 'utf8')).not.toContain(secret)
})

test('a token is asked for by its scopes, kept in a private file, and may not do what needs a session', async () => {
  const owner = await signUp(get)
  const person = newPerson({ PATH: '/nowhere' })
  const { code, ended } = await login(person, '--scopes', 'brand:read,memory:read')
  const page = await browser.open(`${server.api.url}/dashboard/device?user_code=${code}`, {
    width: 390,
    height: 844,
    theme: 'dark',
  })
  await signIn(page, owner)
  await page.getByRole('heading', { name: 'Let this program in?' }).waitFor()
  const shown = await page.getByRole('main').textContent()
  expect(shown).toContain('an access token for 90 days')
  expect(shown).toContain('brand:read, memory:read')
  expect(await seriousFaults(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  expect((await ended).code).toBe(0)

  const folder = join(person.home, '.config/crewhall')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  const kept = readFileSync(join(folder, 'credentials.json'), 'utf8')
  const { default: stored } = JSON.parse(kept) as { default: { token: string } }
  expect(stored.token).toMatch(/^chp_/)
  const status = await runAs(person, ['auth', 'status', '-o', 'json'])
  expect(JSON.parse(status.out)).toMatchObject({ credential: 'token', scopes: ['brand:read', 'memory:read'] })
  expect(status.out).not.toContain(stored.token)
  for (const words of [
    ['desk', 'list'],
    ['hire', 'list'],
  ]) {
    const refused = await runAs(person, words)
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('crewhall auth login')])
  }
  expect((await runAs(person, ['auth', 'logout', '--yes'])).code).toBe(0)
  const listed = await get(`/api/v1/brands/${owner.brand_id}/tokens`, { headers: { cookie: owner.cookie } })
  expect(await listed.json()).toEqual({ tokens: [] })
})

test('what the person denies ends the command with code 4', async () => {
  const owner = await signUp(get)
  const { code, ended } = await login(newPerson())
  const page = await browser.open(`${server.api.url}/dashboard/device?user_code=${code}`)
  await signIn(page, owner)
  await page.getByRole('button', { name: 'Deny' }).click()
  const denied = page.getByRole('heading', { name: 'Denied' })
  await denied.waitFor()
  // Drawn again when the person comes back from another tab, with a new name: the code is not asked for again.
  await server.sql('update identity.people set full_name = $1 where id = $2', ['Ann Other', owner.person_id])
  const again = page.waitForResponse((response) => response.url().endsWith('/api/v1/me'))
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  expect(await (await again).text()).toContain('Ann Other')
  expect(await seriousFaults(page)).toEqual([])
  expect(await denied.isVisible()).toBe(true)
  expect(await ended).toMatchObject({ code: 4, err: expect.stringContaining('the sign-in was denied') })
})

/** A service that says what a test wants, and what it was asked. */
async function standIn(answer: (path: string, response: ServerResponse) => void) {
  const asked: IncomingMessage[] = []
  const listening = createServer((request, response) => {
    asked.push(request)
    answer(request.url ?? '', response)
  })
  servers.push(listening)
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`, asked }
}
const json = (response: ServerResponse, body: object) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
const secret = 'a-secret-of-the-service-that-is-long-enough'

test('a hostile service leads neither credentials nor a browser elsewhere', async () => {
  const elsewhere = await standIn((_, response) => json(response, {}))
  const hostile = (page: string, handed: object) =>
    standIn((path, response) => {
      if (path.endsWith('/device/code'))
        return json(response, {
          device_code: 'd',
          user_code: 'WDJB-MJHT\u001b[2J',
          verification_uri: page,
          verification_uri_complete: page,
          expires_in: 60,
          interval: 0,
        })
      if (path.endsWith('/device/token') && 'token_type' in handed) return json(response, handed)
      response.writeHead(307, { location: `${elsewhere.url}${path}` }).end()
    })
  const cookie = { token_type: 'Cookie', access_token: secret, cookie_name: 'crewhall_session' }
  const { person, calls } = withStubs(newPerson())
  const login = (host: string) => runAs(person, ['auth', 'login', '--web', '--host', host])

  const leading = await hostile(`${elsewhere.url}/device`, cookie)
  const led = await login(leading.url)
  expect(led.code).toBe(1)
  expect(led.err).toContain('which is not followed')
  expect(led.err).not.toContain('\u001b')
  const whom = leading.asked.find(({ url }) => url === '/api/v1/me')
  expect(whom?.headers.cookie).toBe(`crewhall_session=${secret}`)

  const polling = await hostile(`${elsewhere.url}/device`, {})
  expect(await login(polling.url)).toMatchObject({ code: 1 })
  for (const page of ['javascript:alert(1)', 'ftp://127.0.0.1/device', '--help'])
    expect(await login((await hostile(page, cookie)).url)).toMatchObject({ code: 1 })
  for (const cookie_name of ['a\r\nx-evil: 1', 'a=b; c', ''])
    expect(await login((await hostile(elsewhere.url, { ...cookie, cookie_name })).url)).toMatchObject({
      code: 1,
    })

  expect(elsewhere.asked).toEqual([])
  expect(() => calls()).toThrow('ENOENT')
  expect(() => readdirSync(join(person.home, '.config/crewhall'))).toThrow('ENOENT')
})
