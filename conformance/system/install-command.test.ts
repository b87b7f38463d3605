import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const program = resolve(import.meta.dirname, '../../deploy/production/install')
const home = mkdtempSync(join(tmpdir(), 'crewhall-install-'))
afterAll(() => rmSync(home, { recursive: true }))

const isRoot = process.getuid?.() === 0
const right = { public_url: 'https://crew.example.com', operator_email: 'ann@example.com' }
let count = 0
function newPath(): string {
  count += 1
  return join(home, String(count))
}

function answersOf(answers: Record<string, string>): string {
  const file = newPath()
  writeFileSync(
    file,
    Object.entries(answers)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return file
}

const install = (answers: Record<string, string>, folder: string) =>
  spawnSync(program, ['--answers', answersOf(answers), '--to', folder], { encoding: 'utf8' })

const secret = (folder: string, name: string): string =>
  readFileSync(join(folder, 'secrets', name), 'utf8').replace(/\n$/, '')

const settingsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(folder, '.env'), 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** Everything below a folder with its content, to see that nothing changed. */
const contentOf = (folder: string): string =>
  execFileSync('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort; find . | sort', folder], {
    cwd: folder,
    encoding: 'utf8',
  })

test.runIf(isRoot)('install writes settings without a secret, and secrets for one reader each', () => {
  const folder = newPath()
  const { status, stdout, stderr } = install(right, folder)
  expect([status, stderr]).toEqual([0, ''])
  expect(settingsOf(folder)).toMatchObject({
    PUBLIC_URL: 'https://crew.example.com',
    OPERATOR_EMAIL: 'ann@example.com',
    PROXY_CERTIFICATES: 'automatic',
    MAIL_DOMAIN: 'crew.example.com',
    MAIL_RELAY: '',
    MESH_HUB_ENDPOINT: '',
    CREWHALL_SECRETS: join(folder, 'secrets'),
  })
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
  const names = readdirSync(join(folder, 'secrets'))
  const owners = {
    database_url: 10_001,
    signing_key: 10_001,
    postgres_app_password: 999,
    pgbouncer_users: 70,
  }
  for (const name of names) expect(statSync(join(folder, 'secrets', name)).mode & 0o777).toBe(0o600)
  for (const [name, uid] of Object.entries(owners))
    expect([name, statSync(join(folder, 'secrets', name)).uid]).toEqual([name, uid])
  const password = secret(folder, 'postgres_app_password')
  expect(password).toMatch(/^[A-Za-z0-9]{40}$/)
  expect(secret(folder, 'database_url')).toBe(`postgres://crewhall_app:${password}@pgbouncer:6432/crewhall`)
  expect(secret(folder, 'database_direct_url')).toBe(
    `postgres://crewhall_app:${password}@postgres:5432/crewhall`,
  )
  expect(secret(folder, 'pgbouncer_users')).toBe(`"crewhall_app" "${password}"`)
  expect(secret(folder, 'signing_key')).toMatch(/^[A-Za-z0-9]{43}$/)
  const shown = `${stdout}${readFileSync(join(folder, '.env'), 'utf8')}`
  for (const name of [
    'signing_key',
    'postgres_app_password',
    'postgres_owner_password',
    's3_secret_access_key',
  ])
    expect(shown).not.toContain(secret(folder, name))
  expect(stdout).toContain(`Wrote ${folder}/.env`)
  expect(stdout).toContain('docker compose')
})

test.runIf(isRoot)('every secret of the compose file is written, and two installations share none', () => {
  const [one, other] = [newPath(), newPath()]
  install(right, one)
  install(right, other)
  const compose = readFileSync(resolve(program, '../compose.yaml'), 'utf8')
  const wanted = [...compose.matchAll(/\/secrets}\/([a-z0-9_]+)"/g)].map(([, name]) => name)
  expect(wanted.length).toBeGreaterThan(10)
  expect(readdirSync(join(one, 'secrets')).sort()).toEqual(wanted.sort())
  const fixed = ['smtp_url', 'mail_relay_password', 'hub_private_key']
  const same = wanted.filter(
    (name = '') => !fixed.includes(name) && secret(one, name) === secret(other, name),
  )
  expect(same).toEqual([])
})

test.runIf(isRoot)('a second install is refused and changes nothing, whatever is there', () => {
  const folder = newPath()
  install(right, folder)
  const before = contentOf(folder)
  const again = install({ ...right, public_url: 'https://other.example.com' }, folder)
  expect(again.status).toBe(73)
  expect(again.stderr).toContain('nothing was changed')
  expect(contentOf(folder)).toBe(before)
  const half = newPath()
  mkdirSync(join(half, 'secrets'), { recursive: true })
  expect(install(right, half).status).toBe(73)
  expect(readdirSync(half)).toEqual(['secrets'])
})

test.runIf(isRoot).for<[string, Record<string, string>, string]>([
  ['an http address', { public_url: 'http://crew.example.com' }, 'public_url: must begin with https://'],
  ['a path', { public_url: 'https://crew.example.com/here' }, 'public_url: must begin'],
  ['a command', { public_url: 'https://$(reboot)' }, 'public_url: must begin'],
  ['no address', { public_url: '' }, 'public_url: must begin'],
  ['no mail address', { operator_email: 'ann' }, 'operator_email: must be a mail address'],
  ['a quote', { operator_email: 'a"b@example.com' }, 'operator_email: must be a mail address'],
  ['other certificates', { certificates: 'none' }, 'certificates: must be automatic or given'],
  ['a relay without a port', { mail_relay: 'smtp.example.com' }, 'mail_relay: must be none'],
  ['a hub without a port', { hub_endpoint: 'hub.example.com' }, 'hub_endpoint: must be none'],
  ['a question that is not asked', { admin: 'ann' }, 'admin: there is no such question'],
])('%s is refused, and nothing is written', ([, wrong, fault]) => {
  const folder = newPath()
  const { status, stderr } = install({ ...right, ...wrong }, folder)
  expect([status, stderr]).toEqual([65, expect.stringContaining(fault)])
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
})

test.runIf(isRoot)(
  'five questions are asked where there is no file, and asked again until the answer fits',
  () => {
    const folder = newPath()
    const typed = ['crew.example.com', 'https://crew.example.com', 'ann@example.com', '', 'none', ''].join(
      '\n',
    )
    const { status, stderr } = spawnSync(program, ['--to', folder], { encoding: 'utf8', input: `${typed}\n` })
    expect(status).toBe(0)
    const asked = [
      'Public address',
      'Your mail address',
      'Certificates:',
      'Mail server',
      'Address at which desks',
    ]
    expect(asked.map((question) => stderr.split(question).length - 1)).toEqual([2, 1, 1, 1, 1])
    expect(stderr).toContain('must begin with https://')
    expect(settingsOf(folder).PROXY_CERTIFICATES).toBe('automatic')
    const cut = newPath()
    expect(spawnSync(program, ['--to', cut], { encoding: 'utf8', input: 'https://a.example\n' }).status).toBe(
      66,
    )
    expect(readdirSync(cut)).toEqual([])
  },
)

test.runIf(isRoot)(
  'the login of a relay is a secret, and the key of a hub belongs to its public half',
  () => {
    const folder = newPath()
    const more = { mail_relay: 'app:p:w-d@smtp.example.com:587', hub_endpoint: 'hub.example.com:51820' }
    expect(install({ ...right, ...more }, folder).status).toBe(0)
    const settings = settingsOf(folder)
    expect(settings).toMatchObject({
      MAIL_RELAY: '[smtp.example.com]:587',
      MAIL_RELAY_USER: 'app',
      MAIL_RELAY_TLS: 'encrypt',
      MAIL_RELAY_WRAPPED: 'no',
      CREWHALL_HUB_PORT: '51820',
    })
    expect(secret(folder, 'mail_relay_password')).toBe('p:w-d')
    expect(readFileSync(join(folder, '.env'), 'utf8')).not.toContain('p:w-d')
    const der = Buffer.concat([
      Buffer.from('302e020100300506032b656e04220420', 'hex'),
      Buffer.from(secret(folder, 'hub_private_key'), 'base64'),
    ])
    const jwk = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
      format: 'jwk',
    })
    expect(settings.MESH_HUB_PUBLIC_KEY).toBe(jwk.x)
  },
)

test.runIf(isRoot).for<[string, string, Record<string, string>]>([
  [
    'smtp.example.com:25',
    '',
    { MAIL_RELAY: '[smtp.example.com]:25', MAIL_RELAY_TLS: 'may', MAIL_RELAY_WRAPPED: 'no' },
  ],
  [
    'ann@example.com:a/b+c=@smtp.example.com:465',
    'a/b+c=',
    { MAIL_RELAY_USER: 'ann@example.com', MAIL_RELAY_TLS: 'encrypt', MAIL_RELAY_WRAPPED: 'yes' },
  ],
])('%s is a relay, and a login is never sent in clear', ([mail_relay, password, wanted]) => {
  const folder = newPath()
  expect(install({ ...right, mail_relay }, folder).status).toBe(0)
  expect(settingsOf(folder)).toMatchObject(wanted)
  expect(secret(folder, 'mail_relay_password')).toBe(password)
})

test.runIf(isRoot)('a port of the public address is the one that is published', () => {
  const folder = newPath()
  expect(install({ ...right, public_url: 'https://crew.example.com:8443' }, folder).status).toBe(0)
  const ports = { CREWHALL_HTTPS_PORT: '8443', CREWHALL_SITE_PORT: '8443', MAIL_DOMAIN: 'crew.example.com' }
  expect(settingsOf(folder)).toMatchObject(ports)
})

test.runIf(isRoot)('files that containers could not read are refused before anything is written', () => {
  const copy = newPath()
  cpSync(resolve(program, '..'), copy, { recursive: true })
  chmodSync(join(copy, 'pgbouncer.ini'), 0o640)
  const folder = newPath()
  const args = ['--answers', answersOf(right), '--to', folder]
  const { status, stderr } = spawnSync(join(copy, 'install'), args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([77, expect.stringContaining('pgbouncer.ini must be readable by all')])
  expect(existsSync(join(folder, 'secrets'))).toBe(false)
})

test.runIf(isRoot)('without root it says why, and writes nothing', () => {
  const folder = newPath()
  const answers = answersOf(right)
  const { status, stderr } = spawnSync(
    'setpriv',
    [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'sh',
      '-s',
      '--',
      '--answers',
      answers,
      '--to',
      folder,
    ],
    { encoding: 'utf8', input: readFileSync(program, 'utf8'), cwd: '/' },
  )
  expect([status, stderr]).toEqual([77, expect.stringContaining('run it as root')])
})
