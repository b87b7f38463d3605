import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  newRepository,
  openIndexHome,
  smallSources,
} from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'

const daemon = '/usr/sbin/sshd'
const keyMaker = '/usr/bin/ssh-keygen'
/** A server of ssh needs to be installed, and somebody who may start it. */
const hasDaemon = existsSync(daemon) && process.getuid?.() === 0
const server = useServer('product')
let home: IndexHome
let work: ProjectWorkspace
let ssh: Awaited<ReturnType<typeof startSsh>>

function newKey(name: string): { path: string; secret: string; shown: string } {
  const path = join(home.dir, name)
  execFileSync(keyMaker, ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path])
  const [kind, key] = readFileSync(`${path}.pub`, 'utf8').split(' ')
  return { path, secret: readFileSync(path, 'utf8'), shown: `${kind} ${key}` }
}

async function startSsh() {
  const [host, other, person, stranger] = ['host', 'other', 'person', 'stranger'].map(newKey)
  if (!host || !other || !person || !stranger) throw new Error('keys were not made')
  const port = await freePort()
  mkdirSync('/run/sshd', { recursive: true })
  writeFileSync(join(home.dir, 'authorized'), `${person.shown}\n`)
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${host.path}`,
    `AuthorizedKeysFile ${join(home.dir, 'authorized')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
  ]
  const path = join(home.dir, 'sshd_config')
  writeFileSync(path, `${settings.join('\n')}\n`)
  const child = spawn(daemon, ['-D', '-e', '-f', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (bytes) => {
    said += bytes
  })
  await waitFor(() => said.includes('Server listening'), 20_000)
  const url = (repository: string) => `ssh://root@127.0.0.1:${port}${join(home.root, repository)}`
  return { url, host, other, person, stranger, said: () => said, close: () => child.kill() }
}

beforeAll(async () => {
  if (!hasDaemon) return
  home = await openIndexHome()
  ssh = await startSsh()
  const api = await server.start('api', home.env)
  await server.start('worker', home.env)
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
})
afterAll(() => {
  ssh?.close()
  home?.close()
})

test.runIf(hasDaemon)(
  'a repository is fetched by ssh with the pinned key of its host, and with no other (skipped where sshd is missing)',
  async () => {
    const repository = newRepository(home, 'ssh.git')
    const commit = repository.commit(smallSources)
    repository.push()
    const { host, other, person, stranger } = ssh
    const attach = (private_key: string, host_keys: string[], name = 'ssh.git') =>
      attached(work, ssh.url(name), { private_key, host_keys })
    const right = await attach(person.secret, [other.shown, host.shown])
    expect(await indexNow(work, right)).toMatchObject({ state: 'ready', commit })
    const accepted = () => ssh.said().split('Accepted publickey').length
    const before = accepted()
    const impostor = await attach(person.secret, [other.shown])
    expect(await indexNow(work, impostor)).toMatchObject({
      state: 'failed',
      fault: { code: 'host_key', text: 'The host does not have one of the keys it was attached with' },
    })
    const refused = await attach(stranger.secret, [host.shown])
    expect(await indexNow(work, refused)).toMatchObject({ state: 'failed', fault: { code: 'unauthorized' } })
    const broken = await attach('not a key', [host.shown])
    expect(await indexNow(work, broken)).toMatchObject({ state: 'failed', fault: { code: 'unauthorized' } })
    expect(accepted()).toBe(before)
    const missing = await attach(person.secret, [host.shown], 'missing.git')
    expect(await indexNow(work, missing)).toMatchObject({ state: 'failed', fault: { code: 'not_found' } })
  },
  240_000,
)

test.runIf(hasDaemon)('keys lie nowhere once a run has ended (skipped where sshd is missing)', () => {
  const found = execFileSync('/bin/sh', ['-c', 'grep -rl "PRIVATE KEY" . || true'], {
    cwd: join(home.dir, String(work.brand_id)),
    encoding: 'utf8',
  })
  expect(found).toBe('')
})
